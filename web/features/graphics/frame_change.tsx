import { formatCount } from '../../base/format.ts';
import type { Details } from '../../base/protocol.ts';
import type { FrameColumns } from '../../base/survey_protocol.ts';
import { frameOf, goToFrame, tellingFigures } from '../../timeline/frames.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { extentOf } from '../../trace/survey.ts';
import { surveyOf } from '../../trace/surveys.ts';

/** What a frame has more or less of than the one before it, as a field. */
export function FrameChange({ open, details }: { open: OpenTrace; details: Details }) {
  const survey = surveyOf(open);
  const frames = survey.frames.value;
  if (!frames || extentOf(survey) === 'going') return null;
  const frame = frameOf(frames, Number(details.start));
  if (frame < 1) return null;
  const before = frame - 1;
  const changes = changesOf(frames, frame);
  return (
    <>
      <dt>Change</dt>
      <dd>
        <span class="muted">from</span>{' '}
        <button
          type="button"
          class="plain link"
          title="Select this frame"
          onClick={() => void goToFrame(frames, before, open)}
        >
          frame {formatCount(before)}
        </button>
        {changes.length === 0 && <span class="muted"> none in any figure</span>}
        {changes.map(([title, by, says]) => (
          <div key={title} title={says}>
            {by} <span class="muted">{title}</span>
          </div>
        ))}
      </dd>
    </>
  );
}

/** A figure: what it is called in a sentence, by how much it differs, with a sign, and what it counts. */
type Change = readonly [title: string, by: string, says: string];

/** The figures in which a frame differs from the one before it. */
export function changesOf(frames: FrameColumns, frame: number): readonly Change[] {
  return tellingFigures(frames).flatMap(({ figure, title, says, text }) => {
    const values = frames.figures[figure];
    const by = values[frame]! - values[frame - 1]!;
    // What was not measured in both is unknown.
    if (by === 0 || Number.isNaN(by)) return [];
    const name = /^[A-Z][a-z]/.test(title) ? title.toLowerCase() : title;
    return [[name, `${by > 0 ? '+' : '−'}${text(Math.abs(by))}`, says] as const];
  });
}
