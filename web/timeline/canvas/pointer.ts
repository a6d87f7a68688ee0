import { DERIVED } from '../../base/protocol.ts';
import type { Pointed } from '../../trace/pointed.ts';
import { toPixel } from '../../trace/view.ts';
import { rangeAround } from '../measure.ts';
import type { OpenTrace } from '../open_trace.ts';
import { pointAt } from '../pointing.ts';
import { type Edge, edgeAt, rangeOf, snappedEdge } from '../snap.ts';
import type { GestureTarget, RangePlace } from './gestures.ts';
import type { ViewState } from './view_state.ts';

/** CSS pixels around an edge of the range within which the pointer takes hold of it. */
const GRIP = 4;

/** Scrolls the tracks at `y` of the window by CSS pixels of the layout. Returns false if there is nothing to scroll. */
export type ScrollAt = (pixels: number, y: number) => boolean;

/** What gestures on the timeline do. */
export function gesturesOn(
  { timeline, selection, statistics, derived }: OpenTrace,
  state: ViewState,
  scrollAt: ScrollAt,
): GestureTarget {
  const find = (x: number, y: number): Pointed | null => {
    const view = timeline.view.peek();
    const picture = timeline.picture.peek();
    if (!view || !picture) return null;
    return pointAt(picture, timeline.layout.peek(), view, x, timeline.placeAt(y));
  };
  const edgeUnder = ({ x, y, snaps }: RangePlace): Edge | null => {
    const view = timeline.view.peek();
    if (!view) return null;
    if (!snaps) return edgeAt(view, x);
    return snappedEdge(timeline.picture.peek(), timeline.layout.peek(), view, x, timeline.placeAt(y));
  };
  /** The edge of the range under the pointer, and the other one, which stays. */
  const edgesAt = (x: number): { readonly held: bigint; readonly other: bigint } | null => {
    const view = timeline.view.peek();
    const range = statistics.range.peek();
    if (!view || !range) return null;
    const [from, to] = [Math.abs(toPixel(view, range.from) - x), Math.abs(toPixel(view, range.to) - x)];
    if (Math.min(from, to) > GRIP) return null;
    return from < to ? { held: range.from, other: range.to } : { held: range.to, other: range.from };
  };
  /** The edge at which the range began. */
  let fixed: Edge | null = null;
  return {
    drag: (dx, dy, y) => {
      timeline.pan(-dx);
      scrollAt(-dy, y);
    },
    beginRange: (from) => {
      fixed = edgeUnder(from);
    },
    grip: (x) => {
      const edges = edgesAt(x);
      if (edges) fixed = { at: edges.other, snapped: true };
      return edges !== null;
    },
    range: (to, done) => {
      const whole = timeline.whole.peek();
      const edge = edgeUnder(to);
      if (!whole || !fixed || !edge) return;
      const range = rangeOf(fixed, edge, whole);
      state.drawn.value = done ? null : range;
      state.snapped.value = !done && edge.snapped ? edge.at : null;
      if (done) statistics.range.value = range;
    },
    zoom: timeline.zoom,
    sideways: timeline.pan,
    scroll: scrollAt,
    hover: (at) => {
      state.pointer.value = at;
      state.atEdge.value = at !== null && edgesAt(at.x) !== null;
    },
    click: (x, y, extend) => {
      const found = find(x, y);
      const from = extend ? (selection.anchor.peek() ?? selection.place()) : null;
      if (from) {
        if (!found?.item || found.track >= DERIVED) return;
        selection.anchor.value = from;
        selection.selected.value = found;
        statistics.range.value = rangeAround(from, found);
        return;
      }
      selection.anchor.value = null;
      if (found && found.track >= DERIVED && (found.item || found.reading)) return derived.selectOrigin(found);
      // A rectangle that stands for many slices selects none of them, and keeps the selection.
      if (found && !found.item) return;
      selection.selected.value = found;
    },
    doubleClick: (x, y) => {
      const found = find(x, y);
      if (found?.end != null) timeline.show({ from: found.start, to: found.end });
      else if (!found) timeline.showWhole();
    },
  };
}

/** Gestures as the ruler has them: a drag is a range without Shift, or moves one of its edges. What rows show has no part in that. */
export function withoutRows(target: GestureTarget): GestureTarget {
  const noClick = () => undefined;
  const edge = ({ x }: { readonly x: number }): RangePlace => ({ x, y: 0, snaps: false });
  return {
    ...target,
    grip: (x) => {
      if (!target.grip(x)) target.beginRange(edge({ x }));
      return true;
    },
    beginRange: noClick,
    range: (place, isDone) => target.range(edge(place), isDone),
    hover: noClick,
    click: noClick,
    doubleClick: noClick,
  };
}
