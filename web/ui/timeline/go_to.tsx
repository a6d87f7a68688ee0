import { useSignal } from '@preact/signals';
import { parsePosition } from '../../base/position.ts';
import { ticks } from '../../base/ticks.ts';
import { pointedOf } from '../../model/pointing.ts';
import type { OpenTrace } from '../../model/workbench.ts';

/** Id of the field, for the command that focuses it. */
export const GO_TO_ID = 'go-to';

/** Lengths of the found slice that stay visible on either side of the position. */
const AROUND = 40n;

/**
 * A field for a position. Enter shows the position and selects the innermost slice there: in the track of the
 * selection, or else in the track with the most slices.
 */
export function GoTo({ open }: { open: OpenTrace }) {
  const wrong = useSignal(false);
  const go = async (text: string) => {
    const { trace, timeline, selection } = open;
    const info = trace.info.peek();
    const extent = trace.progress.peek().extent;
    const time = info && extent && parsePosition(text, extent.from, info.clock);
    wrong.value = !time && time !== 0n;
    if (time === null) return;
    const found = await trace.find({ to: 'at', time, track: selection.selected.peek()?.track ?? null });
    const length = found && found.end !== null && found.end > found.start ? found.end - found.start : 1n;
    timeline.show({ from: ticks(time - AROUND * length), to: ticks(time + AROUND * length) });
    if (found) selection.selected.value = pointedOf(found);
  };
  return (
    <input
      id={GO_TO_ID}
      class="go-to"
      type="text"
      placeholder="Go to…"
      aria-label="Go to a position"
      aria-invalid={wrong.value}
      spellcheck={false}
      autocomplete="off"
      onInput={() => (wrong.value = false)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur();
        if (event.key === 'Enter') void go(event.currentTarget.value);
      }}
    />
  );
}
