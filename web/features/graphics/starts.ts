import { formatCount, formatCounted } from '../../base/format.ts';
import type { FrameColumns, ResourceColumns } from '../../base/survey_protocol.ts';
import { whenHolds } from '../../base/when.ts';
import { bringToFront } from '../../page/dock.ts';
import type { Page, Start } from '../../page/page.ts';
import { askedOfFindings, showFindings } from '../../page/show_findings.ts';
import { FIGURE_TITLES, type FigureTitle, goToFrame, heaviest, sumsOf } from '../../timeline/frames.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { extentOf, type Survey } from '../../trace/survey.ts';
import { surveyOf } from '../../trace/surveys.ts';

/** What makes a frame heavy, the most telling first. */
const WEIGHTS: readonly FigureTitle['figure'][] = ['gpuTime', 'cpuTime', 'draws', 'vertices', 'uploaded', 'calls'];

/** Questions about frames of OpenGL calls. */
export const STARTS: readonly Start[] = [
  {
    id: 'heaviest-frame',
    place: 10,
    asked: (open, page) => {
      if (!isOffered(open)) return null;
      const way = 'Frames, *Heaviest frame by*';
      const frames = surveyed(open, page);
      if (!frames) return { words: 'Which frame is the heaviest?', way };
      const heavy = heaviestOf(frames);
      if (!heavy) return null;
      const { frame, title } = heavy;
      const value = frames.figures[title.figure][frame]!;
      const isTime = title.unit === 'ns';
      const isDoubted = isTime && (surveyOf(open).times.value?.doubt ?? '') !== '';
      return {
        words: isTime ? 'Which frame is the slowest?' : 'Which frame is the heaviest?',
        figure: `frame ${formatCount(frame)}, ${title.text(value)} ${isTime ? title.title : title.title.toLowerCase()}${isDoubted ? ', without implausible times' : ''}`,
        way,
      };
    },
    answer: (open, page) => {
      bringToFront(page.dock, open.trace.info.peek()?.format, 'frames');
      withFrames(open, (frames) => {
        const heavy = heaviestOf(frames);
        if (heavy) void goToFrame(frames, heavy.frame, open);
        else page.workbench.tell('All frames are alike.');
      });
    },
  },
  {
    id: 'graphics-findings',
    place: 20,
    asked: (open) =>
      isOffered(open)
        ? askedOfFindings(
            open,
            'What does the program waste or do wrong?',
            'Findings: errors, waits, identical uploads, redundant binds and state',
          )
        : null,
    answer: (open, { dock }) => showFindings(open, dock),
  },
  {
    id: 'redundant-calls',
    place: 30,
    asked: (open, page) => {
      if (!isOffered(open)) return null;
      const frames = surveyed(open, page);
      const count = frames ? sumsOf(frames).redundant : null;
      if (count === 0) return null;
      return {
        words: 'Which calls change nothing?',
        ...(count === null ? {} : { figure: formatCounted(count, 'call') }),
        way: 'Findings, *Redundant state*, and the column Redundant of Frames',
      };
    },
    answer: (open, { dock }) => showFindings(open, dock, 'state'),
  },
  {
    id: 'leaks',
    place: 60,
    asked: (open) =>
      isOffered(open)
        ? { words: 'What is never deleted?', way: 'Resources, *not deleted*: what is left when the trace ends' }
        : null,
    answer: (open, { dock, workbench }) => {
      const { filter, resources } = surveyOf(open);
      bringToFront(dock, open.trace.info.peek()?.format, 'resources');
      const isKnown = (all: ResourceColumns | null): all is ResourceColumns => all !== null;
      open.scope.add(
        whenHolds(resources, isKnown, ({ leaked }) => {
          const isLeaked = leaked.includes(1);
          filter.value = { kind: 'all', frame: null, isLeaked };
          if (!isLeaked) workbench.tell('The trace deletes all of its resources.');
        }),
      );
    },
  },
  {
    id: 'add-times',
    place: 50,
    asked: (open) =>
      isOffered(open) && !open.trace.companions.value.some(({ kind }) => kind === 'times')
        ? {
            words: 'Add times of CPU and GPU',
            way: 'Add what `apitrace replay --pcpu --pgpu --ppd` prints for this trace',
          }
        : null,
    answer: (_, page) => page.chooseFile(),
  },
];

function isOffered({ trace }: OpenTrace): boolean {
  const info = trace.info.value;
  return (info?.offers.includes('graphics') && info.companions.includes('times')) ?? false;
}

/** The frames, once all are counted. They are counted while Frames is in front, and not for this. Subscribes. */
function surveyed(open: OpenTrace, { dock }: Page): FrameColumns | null {
  const info = open.trace.info.value;
  const front = dock.front.value[info?.format ?? ''] ?? info?.firstTab;
  if (!dock.open.value || front !== 'frames') return null;
  return allOf(surveyOf(open));
}

/** Subscribes. */
function allOf(survey: Survey): FrameColumns | null {
  return extentOf(survey) === 'going' ? null : survey.frames.value;
}

/** Calls `then` once all frames are counted. */
function withFrames(open: OpenTrace, then: (frames: FrameColumns) => void): void {
  const survey = surveyOf(open);
  const isDone = (_: unknown): _ is unknown => extentOf(survey) !== 'going' && survey.frames.peek() !== null;
  open.scope.add(whenHolds(survey.progress, isDone, () => then(survey.frames.peek()!)));
}

/** The heaviest frame by the first figure in which frames differ; null if they differ in none. */
export function heaviestOf(frames: FrameColumns): { readonly frame: number; readonly title: FigureTitle } | null {
  for (const weight of WEIGHTS) {
    const values = frames.figures[weight];
    const frame = heaviest(frames, weight);
    const title = FIGURE_TITLES.find(({ figure }) => figure === weight);
    if (title && frame >= 0 && values.some((value) => value < values[frame]!)) return { frame, title };
  }
  return null;
}
