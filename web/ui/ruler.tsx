import { type ReadonlySignal, useSignal } from '@preact/signals';
import { formatPosition } from '../base/format.ts';
import { parsePosition } from '../base/position.ts';
import { ticks } from '../base/ticks.ts';
import { pointedOf } from '../model/pointing.ts';
import type { Ruler } from '../model/ruler.ts';
import { type Extent, toTick } from '../model/view.ts';
import type { OpenTrace } from '../model/workbench.ts';
import { RangeLength } from './range.tsx';
import type { PointerPlace } from './trace_view.tsx';

interface Props {
  readonly open: OpenTrace;
  readonly ruler: ReadonlySignal<Ruler | null>;
  readonly pointer: ReadonlySignal<PointerPlace | null>;
  readonly drawn: ReadonlySignal<Extent | null>;
}

/** The scale above the timeline. */
export function RulerStrip({ open, ruler, pointer, drawn }: Props) {
  const { marks, base, unit, minor } = ruler.value ?? { marks: [], base: '', unit: '', minor: 0 };
  const first = marks[0]?.x ?? 0;
  return (
    <div class="ruler">
      <div class="ruler-corner muted">
        <GoTo open={open} />
        <span>{base !== '' ? `${base} +` : unit}</span>
      </div>
      <div class="ruler-scale">
        {minor > 5 && (
          <div
            class="ruler-minor"
            style={{ backgroundSize: `${minor}px 100%`, backgroundPositionX: `${first}px` }}
            aria-hidden="true"
          />
        )}
        {marks.map((mark) => (
          <span class="ruler-mark" key={mark.label} style={{ transform: `translateX(${mark.x}px)` }}>
            {mark.label}
          </span>
        ))}
        <RangeLength open={open} drawn={drawn} />
        <PointerTime open={open} pointer={pointer} />
      </div>
    </div>
  );
}

/** How many times its length is shown around what was gone to. */
const AROUND = 40n;

/** Goes to a position that is typed, and selects what is there: in the track of the selection, or else in the busiest one. */
function GoTo({ open }: { open: OpenTrace }) {
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
      id="go-to"
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

function PointerTime({ open, pointer }: { open: OpenTrace; pointer: Props['pointer'] }) {
  const at = pointer.value;
  const view = open.timeline.view.value;
  const info = open.trace.info.value;
  const extent = open.trace.progress.value.extent;
  if (!at || !view || !info || !extent) return null;
  const { width } = open.timeline.size.value;
  const tick = toTick(view, at.x);
  // Beside the trace there is time, but there are no calls.
  if (info.clock.kind === 'ordinal' && (tick < extent.from || tick >= extent.to)) return null;
  const text = formatPosition(tick, extent.from, info.clock);
  const style = at.x > width - 160 ? { right: `${width - at.x}px` } : { left: `${at.x}px` };
  return (
    <span class="pointer-time" style={style}>
      {text}
    </span>
  );
}
