import type { ReadonlySignal } from '@preact/signals';
import { formatLength } from '../../base/format.ts';
import { type Extent, toPixel } from '../../trace/view.ts';
import type { OpenTrace } from '../open_trace.ts';
import { labelWidth, type Stretch } from '../ruler.ts';

/** CSS pixels of the edges of the label. */
const PADDING = 8;

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

/** The length of the selected range, on the ruler. */
export function RangeLength({ open, drawn }: Props) {
  const range = drawn.value ?? open.statistics.range.value;
  const edges = edgesOf(open, range);
  const place = lengthPlace(open, range);
  const text = lengthText(open, range);
  if (!edges || !place) return null;
  const left = Math.max(0, edges.left);
  const right = Math.min(edges.width, edges.right);
  return (
    <>
      <span class="range-ruler" style={{ left: `${left}px`, width: `${Math.max(2, right - left)}px` }} />
      <span class="range-length" style={{ left: `${place.from}px`, width: `${place.to - place.from}px` }}>
        {text}
      </span>
    </>
  );
}

/** Where the length of the range is on the ruler; null if it is not there. */
export function lengthPlace(open: OpenTrace, range: Extent | null): Stretch | null {
  const edges = edgesOf(open, range);
  const text = lengthText(open, range);
  if (!edges || text === '' || edges.right <= 0 || edges.left >= edges.width) return null;
  const width = labelWidth(text) + PADDING;
  const middle = (Math.max(0, edges.left) + Math.min(edges.width, edges.right)) / 2;
  const from = Math.max(0, Math.min(edges.width - width, middle - width / 2));
  return { from, to: from + width };
}

function lengthText({ trace }: OpenTrace, range: Extent | null): string {
  const info = trace.info.value;
  return range && info ? formatLength(range.to - range.from, info.clock) : '';
}

function edgesOf({ timeline }: OpenTrace, range: Extent | null): { left: number; right: number; width: number } | null {
  const view = timeline.view.value;
  const { width } = timeline.size.value;
  if (!range || !view || width === 0) return null;
  return { left: toPixel(view, range.from), right: toPixel(view, range.to), width };
}
