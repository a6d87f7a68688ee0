import { effect, type Signal, signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import type { FrameColumns, Measure, ResourceKind } from '../../../base/survey_protocol.ts';
import { ticks } from '../../../base/ticks.ts';
import { runCommand } from '../../../page/commands.ts';
import { bringToFront, type Dock } from '../../../page/dock.ts';
import type { Page, PanelView } from '../../../page/page.ts';
import { PlaceLink } from '../../../page/place_link.tsx';
import { widthOfHead, widthOfText } from '../../../parts/columns.ts';
import { Lazy } from '../../../parts/lazy.tsx';
import { useLongList } from '../../../parts/long_list.ts';
import { Segments } from '../../../parts/segments.tsx';
import { type Column, type Look, Table } from '../../../parts/table.tsx';
import { atOnce, TakeTable } from '../../../parts/take_table.tsx';
import { framePairsOf } from '../../../timeline/frame_pairs.ts';
import {
  FIGURE_TITLES,
  type FigureTitle,
  type FrameOrder,
  type FrameSpan,
  frameLocator,
  frameOf,
  framesIn,
  framesText,
  goToFrame,
  greatest,
  heaviest,
  orderOf,
  sumsOf,
  tellingFigures,
} from '../../../timeline/frames.ts';
import { framesTrack } from '../../../timeline/frames_track.ts';
import { goToPosition } from '../../../timeline/go_to.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { KeepButton } from '../../../timeline/widgets/keep.tsx';
import { extentOf, type Survey } from '../../../trace/survey.ts';
import { surveyOf } from '../../../trace/surveys.ts';
import { type FrameCalls, type FrameRow, frameRows, isOpen, toggled } from '../frame_rows.ts';
import { Surveying } from '../surveying.tsx';
import { type FrameTree, openFrame, useFollowing } from './following.ts';
import { Fold, InnerRow } from './inner.tsx';
import { SlowestCalls } from './slowest.tsx';
import { wantedFrame } from './wanted.ts';
import { type Shown, Which } from './which.tsx';
import './frames.css';

/** How the table is sorted. */
interface Sort {
  readonly by: FrameOrder;
  readonly descending: boolean;
}

/** The figures whose heaviest frame has a button. */
const HEAVIEST: readonly (readonly [FigureTitle['figure'], words: string])[] = [
  ['cpuTime', 'CPU time'],
  ['gpuTime', 'GPU time'],
  ['calls', 'calls'],
  ['draws', 'draws'],
  ['vertices', 'vertices'],
  ['uploaded', 'uploaded'],
];

/** The frames of a trace. The survey begins when the panel is first shown. */
export function framesView(open: OpenTrace, page: Page): PanelView {
  const survey = surveyOf(open);
  const sort = signal<Sort>({ by: 'frame', descending: false });
  const shown = signal<Shown>('frames');
  const measure = signal<Measure>('cpuTime');
  const tree: FrameTree = { opened: signal(new Map()), which: signal('draws'), cursor: signal(null) };
  // A link to a frame leads to the tree.
  open.scope.add(
    effect(() => {
      if (!wantedFrame(open).value) return;
      shown.value = 'frames';
      const pair = open.pair.peek();
      if (pair) framePairsOf(pair).isListed.value = false;
    }),
  );
  return {
    component: () => {
      const which = <Which {...{ open, survey, shown }} />;
      const pair = open.pair.value;
      if (pair && framePairsOf(pair).isListed.value) {
        return <Lazy load={async () => (await import('./both.tsx')).FramesOfBoth} props={{ open, pair, which }} />;
      }
      if (shown.value === 'calls' && survey.times.value) return <SlowestCalls {...{ open, survey, measure, which }} />;
      return <Frames {...{ open, page, survey, sort, tree, which }} />;
    },
  };
}

interface Props {
  readonly which: ComponentChild;
  readonly open: OpenTrace;
  readonly survey: Survey;
  readonly page: Page;
  readonly sort: Signal<Sort>;
  readonly tree: FrameTree;
}

/** Which calls of opened frames have rows. */
const SHOWN_CALLS: readonly (readonly [FrameCalls, string])[] = [
  ['draws', 'Draws'],
  ['all', 'All calls'],
  ['redundant', 'Redundant'],
];

function Frames(props: Props) {
  const { open, survey } = props;
  const frames = survey.frames.value;
  if (survey.error.value !== '' && !frames) {
    return (
      <p class="panel-note muted" role="alert">
        {survey.error.value}
      </p>
    );
  }
  if (!frames) {
    const isLoading = open.trace.status.value.at === 'loading';
    return (
      <p class="panel-note muted">{isLoading ? 'Frames are counted once the file has been read.' : 'Reading calls…'}</p>
    );
  }
  if (frames.count === 0 && extentOf(survey) === 'all') {
    return <p class="panel-note muted">No frames: this trace has no calls.</p>;
  }
  return <FrameTable {...props} frames={frames} />;
}

function FrameTable(props: Props & { readonly frames: FrameColumns }) {
  const { which, open, page, survey, sort, tree, frames } = props;
  const { opened, cursor } = tree;
  const { by, descending } = sort.value;
  const range = open.statistics.range.value;
  const span = useMemo(() => framesIn(frames, range), [frames, range]);
  const order = useMemo(() => orderOf(frames, by, descending, span), [frames, by, descending, span]);
  const columns = useMemo(() => tellingFigures(frames), [frames]);
  const widths = useMemo(() => columns.map((column) => widthOf(column, frames)), [columns, frames]);
  const most = useMemo(() => columns.map(({ figure }) => Math.max(1, greatest(frames, figure, span))), [frames, span]);
  const shownCalls = tree.which.value;
  const rows = useMemo(() => frameRows(order, opened.value, shownCalls), [order, opened.value, shownCalls]);
  const list = useLongList(rows.length);
  const isDirect3d = useMemo(
    () => survey.resources.value?.kind.includes('interface') ?? false,
    [survey.resources.value],
  );
  const extent = extentOf(survey);
  const place = open.selection.place();
  const chosen = place && frames.count > 0 ? frameOf(frames, Number(place.start)) : -1;
  const at = cursor.value;
  const exact = at ? rows.findIndex((row) => sameRow(row, at)) : -1;
  // What hides the row may be folded.
  const current = at && exact < 0 ? rows.findIndex(({ frame }) => frame === at.frame) : exact;
  useFollowing({ open, survey, tree, frames, rows, current, list });
  const choose = (row: FrameRow) => {
    cursor.value = row;
    if (row.folded > 0) return;
    const call = row.item < 0 ? undefined : opened.peek().get(row.frame)?.calls?.call[row.item];
    if (call === undefined) void goToFrame(frames, row.frame, open);
    else void goToPosition(ticks(BigInt(call)), open);
  };
  const go = (frame: number) => {
    choose({ frame, item: -1, folded: 0 });
    list.go(rows.findIndex((row) => row.frame === frame));
  };
  const toggle = async (row: FrameRow) => {
    opened.value = toggled(opened.peek(), row);
    if (row.item >= 0 || !opened.peek().has(row.frame)) return;
    // What opens would be below the edge.
    list.goTop(rows.findIndex(({ frame }) => frame === row.frame));
    await openFrame(row.frame, survey, tree, false);
  };
  /** Right opens a frame or a group, left folds it. */
  const onKey = ({ key }: KeyboardEvent) => {
    const here = rows[current];
    const arrow = { ArrowRight: false, ArrowLeft: true }[key];
    if (arrow === undefined || !here || isOpen(opened.peek(), here) !== arrow) return false;
    void toggle(here);
    return true;
  };
  const sortBy = (next: FrameOrder) => {
    sort.value = { by: next, descending: next === by ? !descending : next !== 'frame' };
  };
  const foldOf = (row: FrameRow) => (
    <Fold isOpen={isOpen(opened.value, row)} toggle={() => void toggle(row)} row={row} />
  );
  const head = [
    'Frame',
    'First call',
    ...columns.map(({ title, unit }) => (unit === '' ? title : `${title} (${unit})`)),
  ];
  const texts = (frame: number) =>
    [frame, frames.first[frame]!, ...columns.map(({ figure }) => frames.figures[figure][frame]!)].map((value) =>
      Number.isNaN(value) ? '' : String(value),
    );
  return (
    <div class="frames panel-body">
      <div class="panel-bar">
        {which}
        <Summary frames={frames} span={span} isAll={extent === 'all'} />
        {isDirect3d && <span class="muted">Vertices and state of Direct3D are not counted</span>}
        <Surveying survey={survey} />
        {survey.error.value !== '' && <span role="alert">{survey.error.value}</span>}
        {/* While frames come, another one may be heavier, and is before the click. */}
        {extent !== 'going' && <Heaviest frames={frames} span={span} isAll={extent === 'all'} go={go} />}
        <Segments
          label="Calls of opened frames"
          options={SHOWN_CALLS}
          value={shownCalls}
          choose={(next) => {
            tree.which.value = next;
          }}
        />
        <span class="panel-end">
          <Used
            kinds={isDirect3d ? OF_DIRECT3D : OF_OPENGL}
            survey={survey}
            dock={page.dock}
            open={open}
            frames={frames}
            frame={chosen}
          />
          {!isDirect3d && extent === 'all' && (
            <button
              type="button"
              title="Save the selected frame as a trace that replays by itself"
              onClick={() => runCommand(page, 'save-frame')}
            >
              Save frame…
            </button>
          )}
          {by !== 'frame' && extent === 'all' && (
            <KeepFigure open={open} frames={frames} column={columns.find((it) => it.figure === by)} />
          )}
        </span>
        {extent !== 'going' && <TakeTable name="frames" head={head} rows={() => atOnce([...order], texts)} />}
      </div>
      <Table
        label="Frames"
        id="frame"
        rowId={({ frame, item, folded }) => (item < 0 ? frame : `${frame}-${item}${folded > 0 ? '-fold' : ''}`)}
        count={rows.length}
        row={(number) => rows[number] ?? null}
        columns={[
          {
            title: 'Frame',
            says: 'Number of the frame',
            key: 'frame',
            width: `${Math.max(widthOfHead('Frame'), FOLD + widthOfText(formatCount(frames.count)))}px`,
            cell: (row) => (
              <>
                {foldOf(row)}
                {formatCount(row.frame)}
              </>
            ),
          },
          ...columns.map(
            (column, k): Column<FrameRow> => ({
              id: column.figure,
              title: column.title,
              says: column.says,
              width: `${widths[k]}px`,
              key: column.figure,
              cell: ({ frame }) => {
                const value = frames.figures[column.figure][frame]!;
                const text = textIn(column, value);
                // Only in the chosen row: a click that chooses one is not to lead elsewhere.
                if (column.figure !== 'redundant' || value === 0 || frame !== chosen) return text;
                const title = `List the redundant calls of frame ${formatCount(frame)}`;
                const to = { to: 'frame', call: frames.last[frame]!, redundant: true } as const;
                return <PlaceLink {...{ open, page, title }} place={to} children={text} />;
              },
              look: ({ frame }) => {
                const value = frames.figures[column.figure][frame]!;
                return lookOf(value, column.figure === by ? value / most[k]! : null);
              },
            }),
          ),
        ]}
        by={by}
        descending={descending}
        narrowedBy={[range]}
        sortBy={(key) => sortBy(key as FrameOrder)}
        current={current}
        choose={(number) => choose(rows[number]!)}
        click={(number) => {
          choose(rows[number]!);
          if (rows[number]!.folded > 0) void toggle(rows[number]!);
        }}
        act={(number) => {
          if (rows[number]!.folded > 0) void toggle(rows[number]!);
          else choose(rows[number]!);
        }}
        onKey={onKey}
        menu={(row) => ({ named: null, show: () => choose(row) })}
        look={({ item }) => ({ class: item < 0 ? undefined : 'frames-inner' })}
        whole={(row) => {
          const of = opened.value.get(row.frame)?.calls;
          if (!of || row.item < 0) return null;
          const content = <InnerRow of={of} row={row} fold={foldOf(row)} />;
          return { content, title: row.folded > 0 ? 'Show these calls' : (of.text[row.item] ?? '') };
        }}
        list={list}
        empty={range && extent === 'all' ? 'No frames in this range.' : undefined}
      />
    </div>
  );
}

function sameRow(a: FrameRow, b: FrameRow): boolean {
  return a.frame === b.frame && a.item === b.item && a.folded > 0 === b.folded > 0;
}

/** CSS pixels of the button that opens a frame. */
const FOLD = 16;

/** CSS pixels of a column that shows all of its title and of each value in `frames`. */
function widthOf({ figure, title, text }: FigureTitle, frames: FrameColumns): number {
  const values = frames.figures[figure];
  let longest = '';
  const hear = (shown: string) => {
    if (shown.length > longest.length) longest = shown;
  };
  // The longest text need not be that of the greatest value: 999.9 ms, 22 min.
  const every = Math.max(1, Math.floor(frames.count / MOST_MEASURED));
  for (let frame = 0; frame < frames.count; frame += every) hear(text(values[frame]!));
  hear(text(greatest(frames, figure)));
  return Math.max(widthOfHead(title), widthOfText(longest));
}

/** Frames whose texts decide on the width of a column. */
const MOST_MEASURED = 500;

function textIn(column: FigureTitle, value: number): string {
  return value === 0 ? '–' : column.text(value);
}

/** What a cell looks like. `share`: of the greatest value, in the column that the table is sorted by. */
function lookOf(value: number, share: number | null): Look {
  const bar = share !== null && !Number.isNaN(value) ? { '--share': `${(100 * share).toFixed(1)}%` } : undefined;
  return { class: [!(value > 0) && 'none', bar && 'sorted'].filter(Boolean).join(' '), style: bar };
}

interface SummaryProps {
  readonly frames: FrameColumns;
  /** Those that are listed. */
  readonly span: FrameSpan;
  readonly isAll: boolean;
}

function Summary({ frames, span, isAll }: SummaryProps) {
  const sums = useMemo(() => sumsOf(frames, span), [frames, span]);
  const hasLast = span.to === frames.count && span.to > span.from;
  return (
    <span class="muted">
      {framesText(span)}
      {!isAll && ' so far'}
      {isAll && !frames.ended && hasLast && ', the last one unfinished'}, {formatCounted(sums.draws, 'draw')}
      {sums.errors > 0 && `, ${formatCounted(sums.errors, 'error')}`}
    </span>
  );
}

interface HeaviestProps {
  readonly frames: FrameColumns;
  readonly span: FrameSpan;
  /** Otherwise there may be heavier ones after these. */
  readonly isAll: boolean;
  readonly go: (frame: number) => void;
}

/** Leads to the frames with the most of something. */
function Heaviest({ frames, span, isAll, go }: HeaviestProps) {
  const found = HEAVIEST.map(([figure, words]) => ({ figure, words, frame: heaviest(frames, figure, span) })).filter(
    ({ frame }) => frame >= 0,
  );
  if (found.length === 0) return null;
  return (
    <span class="frames-heaviest">
      <span class="muted">Heaviest {!isAll && 'so far '}by</span>
      {found.map(({ figure, words, frame }) => {
        const amount = FIGURE_TITLES.find((it) => it.figure === figure)?.text(frames.figures[figure][frame]!);
        return (
          <button
            key={figure}
            type="button"
            class="plain link"
            title={`Go to frame ${formatCount(frame)}: ${amount} ${words}`}
            onClick={() => go(frame)}
          >
            {words}: frame {formatCount(frame)} <span class="muted">({amount})</span>
          </button>
        );
      })}
    </span>
  );
}

/** Resources that a frame leads to, with the words for that. */
const OF_OPENGL: readonly (readonly [ResourceKind, words: string, several: string])[] = [
  ['texture', 'Its textures', 'Textures'],
  ['shader', 'Its shaders', 'Shaders'],
];
const OF_DIRECT3D: typeof OF_OPENGL = [['interface', 'Its interfaces', 'Interfaces']];

interface UsedProps {
  readonly kinds: typeof OF_OPENGL;
  readonly survey: Survey;
  readonly dock: Dock;
  readonly open: OpenTrace;
  readonly frames: FrameColumns;
  /** The number of the frame, or -1 while none is chosen: the buttons keep their place. */
  readonly frame: number;
}

/** Leads to the resources that a frame uses. */
function Used({ kinds, survey, dock, open, frames, frame }: UsedProps) {
  const show = (kind: ResourceKind) => {
    const of = { number: frame, first: frames.first[frame]!, last: frames.last[frame]! };
    survey.filter.value = { kind, frame: of, isLeaked: false };
    bringToFront(dock, open.trace.info.peek()?.format, 'resources');
  };
  return (
    <>
      {kinds.map(([kind, words, several]) => (
        <button
          key={kind}
          type="button"
          class="plain link"
          disabled={frame < 0}
          title={
            frame < 0 ? `${several} that the chosen frame uses` : `${several} that frame ${formatCount(frame)} uses`
          }
          onClick={() => show(kind)}
        >
          {words}
        </button>
      ))}
    </>
  );
}

interface KeepProps {
  readonly open: OpenTrace;
  readonly frames: FrameColumns;
  readonly column: FigureTitle | undefined;
}

/** The name of a column as a track, which begins with a small letter as those of other tracks: `draws per frame`. */
function labelOf({ title, unit }: FigureTitle): string {
  const name = /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
  return `${name} per frame${unit === 'ns' ? ' (ns)' : ''}`;
}

/** Keeps a column as a track above the others. */
function KeepFigure({ open, frames, column }: KeepProps) {
  if (!column) return null;
  const { trace, derived } = open;
  const key = `frames ${column.figure}`;
  const keep = () => {
    const track = framesTrack(trace.tracks.peek()) ?? 0;
    const values = frames.figures[column.figure];
    const measured = [...values.keys()].filter((frame) => !Number.isNaN(values[frame]));
    derived.keepNumbers(
      key,
      { label: labelOf(column), detail: column.says },
      {
        time: BigUint64Array.from(measured, (frame) => BigInt(frames.first[frame]!)),
        bits: BigUint64Array.from(measured, (frame) => BigInt(values[frame]!)),
      },
      {
        track: new Uint32Array(measured.length).fill(track),
        locator: BigUint64Array.from(measured, frameLocator),
      },
    );
  };
  return (
    <KeepButton
      keeping={derived.keeping.value.get(key)}
      reading={trace.status.value.at === 'loading'}
      title={`Show ${column.title} of all frames on a track`}
      onClick={keep}
      stop={() => derived.stop(key)}
    />
  );
}
