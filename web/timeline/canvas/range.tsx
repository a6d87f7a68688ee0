import type { ReadonlySignal } from '@preact/signals';
import { formatLength, formatRange } from '../../base/format.ts';
import { type Extent, toPixel } from '../../trace/view.ts';
import type { OpenTrace } from '../open_trace.ts';
import { labelWidth, type Stretch } from '../ruler.ts';
import { focusArea } from './fields.ts';

/** CSS pixels of the edges of the label, and of each button of the chip. */
const PADDING = 8;
const BUTTON = 22;
/** The part of the ruler that the chip may take. With less room it has the length only. */
const MOST_OF_RULER = 0.6;

interface Props {
  readonly open: OpenTrace;
  /** The range during a drag, before it is selected. */
  readonly drawn: ReadonlySignal<Extent | null>;
}

/** The selected range as a band over the timeline, with a stronger line where its dragged edge is that of a slice. */
export function RangeBand({ open, drawn, snapped }: Props & { readonly snapped: ReadonlySignal<bigint | null> }) {
  const edges = edgesOf(open, drawn.value ?? open.statistics.range.value);
  if (!edges || edges.right <= 0 || edges.left >= edges.width) return null;
  // Browsers lose precision far outside the screen, so the band ends just beyond it.
  const left = Math.max(-2, edges.left);
  const right = Math.min(edges.width + 2, Math.max(edges.right, edges.left + 2));
  const view = open.timeline.view.value;
  const at = snapped.value;
  return (
    <>
      <div class="range" style={{ left: `${left}px`, width: `${right - left}px` }} />
      {at !== null && view && <div class="range-snapped" style={{ left: `${toPixel(view, at) - 1}px` }} />}
    </>
  );
}

/** The range on the ruler: a label while it is dragged, then a chip that clears it. Also where the range is off the screen. */
export function RangeChip({ open, drawn }: Props) {
  const range = drawn.value ?? open.statistics.range.value;
  const edges = edgesOf(open, range);
  const label = labelOf(open, drawn);
  const place = rangePlace(open, drawn);
  if (!range || !edges || !place || !label) return null;
  const left = Math.max(0, edges.left);
  const right = Math.min(edges.width, edges.right);
  const style = { left: `${place.from}px`, width: `${place.to - place.from}px` };
  return (
    <>
      {right > left && (
        <span class="range-ruler" style={{ left: `${left}px`, width: `${Math.max(2, right - left)}px` }} />
      )}
      {drawn.value ? (
        <span class="range-label" style={style}>
          <span class="range-length">{label.length}</span>
        </span>
      ) : (
        <Chip open={open} range={range} label={label} style={style} />
      )}
    </>
  );
}

interface ChipProps {
  readonly open: OpenTrace;
  readonly range: Extent;
  readonly label: RangeLabel;
  readonly style: { readonly left: string; readonly width: string };
}

function Chip({ open: { statistics, timeline, trace }, range, label, style }: ChipProps) {
  const wider = statistics.trail.value.at(-1);
  const info = trace.info.value;
  const clear = ({ currentTarget }: { readonly currentTarget: Element }) => {
    // The chip will be gone.
    focusArea(currentTarget);
    statistics.range.value = null;
  };
  return (
    <nav class="range-label range-chip" aria-label="Range" style={style}>
      {wider && info && (
        <button
          type="button"
          class="plain range-part"
          aria-label={`Wider range, ${formatLength(wider.to - wider.from, info.clock)}`}
          title={`Back to the range of ${formatLength(wider.to - wider.from, info.clock)} around it`}
          onClick={() => {
            statistics.range.value = wider;
            timeline.show(wider);
          }}
        >
          ‹
        </button>
      )}
      <button
        type="button"
        class="plain range-part range-text"
        title={`Zoom to range, ${label.positions}`}
        onClick={() => timeline.show(range)}
      >
        {label.side < 0 && '◂ '}
        {label.isWhole && `${label.positions} (`}
        <span class="range-length">{label.length}</span>
        {label.isWhole && ')'}
        {label.side > 0 && ' ▸'}
      </button>
      <button
        type="button"
        class="plain range-part"
        aria-label="Clear range"
        title="Clear range (Escape)"
        onClick={clear}
      >
        ×
      </button>
    </nav>
  );
}

/** What the ruler says of the range. */
interface RangeLabel {
  readonly length: string;
  readonly positions: string;
  /** Whether there is room for the positions. */
  readonly isWhole: boolean;
  /** Where the range is: on the screen (0), before it (-1) or after it (1). */
  readonly side: -1 | 0 | 1;
  /** CSS pixels. */
  readonly width: number;
}

function labelOf(open: OpenTrace, drawn: Props['drawn']): RangeLabel | null {
  const { trace, statistics } = open;
  const range = drawn.value ?? statistics.range.value;
  const info = trace.info.value;
  const extent = trace.progress.value.extent;
  const edges = edgesOf(open, range);
  if (!range || !info || !extent || !edges) return null;
  const length = formatLength(range.to - range.from, info.clock);
  const positions = formatRange(range.from, range.to, extent.from, info.clock);
  const side = edges.right <= 0 ? -1 : edges.left >= edges.width ? 1 : 0;
  if (drawn.value) return { length, positions, isWhole: false, side, width: labelWidth(length) + PADDING };
  const buttons = (statistics.trail.value.length > 0 ? 2 : 1) * BUTTON;
  const widthOf = (text: string) => labelWidth(side === 0 ? text : `${text} ▸`) + PADDING + buttons;
  const whole = widthOf(`${positions} (${length})`);
  const isWhole = whole <= edges.width * MOST_OF_RULER;
  return { length, positions, isWhole, side, width: isWhole ? whole : widthOf(length) };
}

/** Where the range is named on the ruler: in the middle of what is seen of it, or at the edge that it is beyond. null without one. */
export function rangePlace(open: OpenTrace, drawn: Props['drawn']): Stretch | null {
  const edges = edgesOf(open, drawn.value ?? open.statistics.range.value);
  const label = labelOf(open, drawn);
  // A drag is seen where it is.
  if (!edges || !label || (drawn.value && label.side !== 0)) return null;
  const middle = (Math.max(0, edges.left) + Math.min(edges.width, edges.right)) / 2;
  const from = Math.max(0, Math.min(edges.width - label.width, middle - label.width / 2));
  return { from, to: from + label.width };
}

function edgesOf({ timeline }: OpenTrace, range: Extent | null): { left: number; right: number; width: number } | null {
  const view = timeline.view.value;
  const { width } = timeline.size.value;
  if (!range || !view || width === 0) return null;
  return { left: toPixel(view, range.from), right: toPixel(view, range.to), width };
}
