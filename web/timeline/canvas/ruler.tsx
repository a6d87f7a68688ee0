import { computed, type ReadonlySignal, useComputed } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatPosition } from '../../base/format.ts';
import { toTick } from '../../trace/view.ts';
import type { OpenTrace } from '../open_trace.ts';
import { besides, isCovered, labelWidth, type Mark, type Stretch } from '../ruler.ts';
import { listenForGestures } from './gestures.ts';
import { gesturesOn, withoutRows } from './pointer.ts';
import { RangeChip, rangePlace } from './range.tsx';
import type { PointerPlace, ViewState } from './view_state.ts';

/** CSS pixels of the edges of a label in a box. */
const PADDING = 8;

/** The ruler above the timeline, on which a range can be dragged. */
export function RulerStrip({ open, state }: { readonly open: OpenTrace; readonly state: ViewState }) {
  const { ruler, pointer, drawn } = state;
  const scale = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const target = withoutRows(gesturesOn(open, state, () => false));
    return scale.current ? listenForGestures(scale.current, target) : undefined;
  }, [open, state]);
  const { marks, base, unit, minor } = ruler.value ?? { marks: [], base: '', unit: '', minor: 0 };
  const first = marks[0]?.x ?? 0;
  const length = useComputed(() => rangePlace(open, drawn));
  const time = useComputed(() => timeAt(open, pointer.value, length.value));
  return (
    <div class="ruler small">
      <div class="ruler-corner row muted" aria-hidden="true">
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
          <RulerMark key={mark.label} mark={mark} time={time} length={length} />
        ))}
        <div ref={scale} class="ruler-drag" title="Drag to select a range" />
        <PointerTime time={time} />
        <RangeChip open={open} drawn={drawn} />
      </div>
    </div>
  );
}

interface MarkProps {
  readonly mark: Mark;
  readonly time: ReadonlySignal<Stretch | null>;
  readonly length: ReadonlySignal<Stretch | null>;
}

/** A mark with its label, unless there is no room for all of that, or something covers a part of it. */
function RulerMark({ mark, time, length }: MarkProps) {
  const { x, label, fits } = mark;
  // The mark renders again only when the answer changes, not with each move of the pointer.
  const covered = useMemo(
    () => computed(() => isCovered(x, label, time.value) || isCovered(x, label, length.value)),
    [x, label, time, length],
  );
  return (
    // Numbers that nothing relates to would be noise in a reader.
    <span class="ruler-mark" aria-hidden="true" style={{ transform: `translateX(${x}px)` }}>
      {fits && !covered.value && label}
    </span>
  );
}

/** A position as text, and where it is on the ruler. */
interface Time extends Stretch {
  readonly text: string;
}

/** The position of the pointer: to the right of it, unless there is no room or the length of the range is there. */
function timeAt(open: OpenTrace, at: PointerPlace | null, range: Stretch | null): Time | null {
  const view = open.timeline.view.value;
  const info = open.trace.info.value;
  const extent = open.trace.progress.value.extent;
  if (!at || !view || !info || !extent) return null;
  const { width } = open.timeline.size.value;
  const tick = toTick(view, at.x);
  // Time goes on outside the trace; ordinals do not.
  if (info.clock.kind === 'ordinal' && (tick < extent.from || tick >= extent.to)) return null;
  const text = formatPosition(tick, extent.from, info.clock);
  const wide = labelWidth(text) + PADDING;
  const from = besides(at.x, wide, width, range);
  return { text, from, to: from + wide };
}

function PointerTime({ time }: { readonly time: ReadonlySignal<Time | null> }) {
  if (!time.value) return null;
  const { text, from } = time.value;
  return (
    <span class="pointer-time" style={{ left: `${from}px` }}>
      {text}
    </span>
  );
}
