import { DERIVED } from '../../base/protocol.ts';
import { type Pointed, pointAt } from '../../model/pointing.ts';
import { rangeBetween } from '../../model/view.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import type { GestureTarget } from './gestures.ts';
import type { ViewState } from './view_state.ts';

/** What gestures on the timeline do. `scrollAt` scrolls the tracks that are at `y` of the window by CSS pixels of the layout. */
export function gesturesOn(
  { timeline, selection, statistics, derived }: OpenTrace,
  state: ViewState,
  scrollAt: (pixels: number, y: number) => void,
): GestureTarget {
  const find = (x: number, y: number): Pointed | null => {
    const view = timeline.view.peek();
    const picture = timeline.picture.peek();
    if (!view || !picture) return null;
    return pointAt(picture, timeline.layout.peek(), view, x, timeline.placeAt(y));
  };
  return {
    drag: (dx, dy, y) => {
      timeline.pan(-dx);
      scrollAt(-dy, y);
    },
    range: (from, to, done) => {
      const view = timeline.view.peek();
      const whole = timeline.whole.peek();
      if (!view || !whole) return;
      const range = rangeBetween(view, whole, from, to);
      state.drawn.value = done ? null : range;
      if (done) statistics.range.value = range;
    },
    zoom: timeline.zoom,
    sideways: timeline.pan,
    scroll: scrollAt,
    hover: (at) => {
      state.pointer.value = at;
    },
    click: (x, y) => {
      const found = find(x, y);
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
