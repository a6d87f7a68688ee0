import type { ReadonlySignal } from '@preact/signals';
import { formatPosition } from '../../base/format.ts';
import { type Extent, toTick } from '../../trace/view.ts';
import type { OpenTrace } from '../open_trace.ts';
import { besides, labelWidth, type Ruler } from '../ruler.ts';
import { lengthPlace, RangeLength } from './range.tsx';
import type { PointerPlace } from './view_state.ts';

/** CSS pixels of the edges of a label in a box. */
const PADDING = 8;

interface Props {
  readonly open: OpenTrace;
  readonly ruler: ReadonlySignal<Ruler | null>;
  readonly pointer: ReadonlySignal<PointerPlace | null>;
  readonly drawn: ReadonlySignal<Extent | null>;
}

/** The ruler above the timeline. */
export function RulerStrip({ open, ruler, pointer, drawn }: Props) {
  const { marks, base, unit, minor } = ruler.value ?? { marks: [], base: '', unit: '', minor: 0 };
  const first = marks[0]?.x ?? 0;
  return (
    <div class="ruler small">
      <div class="ruler-corner row muted">
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
            {mark.fits && mark.label}
          </span>
        ))}
        <RangeLength open={open} drawn={drawn} />
        <PointerTime open={open} pointer={pointer} drawn={drawn} />
      </div>
    </div>
  );
}

/** The position of the pointer: to the right of it, unless there is no room or the length of the range is there. */
function PointerTime({ open, pointer, drawn }: Pick<Props, 'open' | 'pointer' | 'drawn'>) {
  const at = pointer.value;
  const view = open.timeline.view.value;
  const info = open.trace.info.value;
  const extent = open.trace.progress.value.extent;
  if (!at || !view || !info || !extent) return null;
  const { width } = open.timeline.size.value;
  const tick = toTick(view, at.x);
  // Time goes on outside the trace; ordinals do not.
  if (info.clock.kind === 'ordinal' && (tick < extent.from || tick >= extent.to)) return null;
  const text = formatPosition(tick, extent.from, info.clock);
  const range = lengthPlace(open, drawn.value ?? open.statistics.range.value);
  const left = besides(at.x, labelWidth(text) + PADDING, width, range);
  return (
    <span class="pointer-time" style={{ left: `${left}px` }}>
      {text}
    </span>
  );
}
