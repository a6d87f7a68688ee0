import { shortened } from '../../base/format.ts';
import { DERIVED } from '../../base/protocol.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import { atPoint, isBrowsers, isByKey, type MenuOfCommands, type ShowMenu } from '../../parts/menu/request.ts';
import type { Pointed } from '../../trace/pointed.ts';
import { toPixel } from '../../trace/view.ts';
import { bandOf, trackAt } from '../layout.ts';
import type { OpenTrace } from '../open_trace.ts';
import { pointAt } from '../pointing.ts';
import type { PointerPlace, ViewState } from './view_state.ts';

/**
 * Shows the menu of what is clicked in the timeline, until disposed: of a slice or an instant, which is selected by that, or else
 * of the track. By key, that of the selection, or of the current track if the user went on to that.
 */
export function listenForMenus(area: HTMLElement, open: OpenTrace, state: ViewState, show: ShowMenu): Dispose {
  const { trace, timeline, selection } = open;
  const { arrangement } = timeline;
  const scope = createScope();
  const at = (x: number, y: number): Pointed | null => {
    const view = timeline.view.peek();
    const picture = timeline.picture.peek();
    return view && picture && pointAt(picture, timeline.layout.peek(), view, x, timeline.placeAt(y));
  };
  const ofItem = (item: Pointed): Pick<MenuOfCommands, 'label' | 'menu'> => ({
    label: shortened(trace.names.of(item.name)) || 'Selection',
    menu: 'item',
  });
  scope.listen<MouseEvent>(area, 'contextmenu', (event) => {
    const byKey = isByKey(event);
    const box = area.getBoundingClientRect();
    const place = { x: event.clientX, y: event.clientY };
    let about: Pick<MenuOfCommands, 'label' | 'menu'> = { label: 'Timeline', menu: 'area' };
    if (byKey) {
      const own = selection.selected.peek();
      const id = arrangement.current.peek();
      const track = arrangement.find(id);
      if (own && own.track === id) about = ofItem(own);
      else if (track) about = { label: shortened(track.name) || 'Track', menu: 'track' };
      Object.assign(place, placeOf(open, box));
    } else {
      const { x, y } = exactPlace(event, box, state.pointer.peek());
      const found = at(x, y);
      const laid = trackAt(timeline.layout.peek(), timeline.placeAt(y));
      if (laid) arrangement.current.value = laid.track.id;
      if (found?.item && found.track < DERIVED) {
        selection.selected.value = found;
        about = ofItem(found);
      }
    }
    if (!show({ ...about, at: atPoint(place.x, place.y), byKey })) return;
    event.preventDefault();
    // The menu is where the tooltip would be.
    state.pointer.value = null;
  });
  return scope.dispose;
}

/** The place of a click, which browsers round, on an element: that of the pointer if it is the same. */
function exactPlace(event: MouseEvent, box: DOMRect, pointer: PointerPlace | null): PointerPlace {
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  return pointer && Math.abs(pointer.x - x) <= 1 && Math.abs(pointer.y - y) <= 1 ? pointer : { x, y };
}

/** Where the selection is on the screen, or else the current track. */
function placeOf({ timeline, selection }: OpenTrace, box: DOMRect): { readonly x: number; readonly y: number } {
  const layout = timeline.layout.peek();
  const own = selection.selected.peek();
  const view = timeline.view.peek();
  const laid = layout.tracks.find(({ track }) => track.id === timeline.arrangement.current.peek());
  const shift = laid ? bandOf(layout, timeline.window.peek(), laid).shift : 0;
  const row = laid && own?.track === laid.track.id ? own.depth - laid.track.lowest + 1 : 1;
  const y = laid ? laid.top + laid.slices + row * laid.rowHeight - shift : 0;
  const x = own && view ? toPixel(view, own.start) + 8 : 8;
  const within = (value: number, most: number) => Math.max(0, Math.min(most, value));
  return { x: box.left + within(x, box.width), y: box.top + within(y, box.height) };
}

/** A listener that shows the menu of a track, by its id in `data-track`, and makes that the current one. */
export function trackMenu(open: OpenTrace, show: ShowMenu): (event: MouseEvent) => void {
  return (event) => {
    if (isBrowsers(event)) return;
    const head = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-track]') : null;
    if (!head) return;
    const id = Number(head.dataset['track']);
    const { arrangement } = open.timeline;
    arrangement.current.value = id;
    const byKey = isByKey(event);
    const { left, top } = head.getBoundingClientRect();
    const shown = show({
      label: shortened(arrangement.find(id)?.name ?? '') || 'Track',
      menu: 'track',
      at: byKey ? atPoint(left + 24, Math.max(0, top) + 24) : atPoint(event.clientX, event.clientY),
      byKey,
    });
    if (shown) event.preventDefault();
  };
}

/** A listener that shows the menu of the whole trace. */
export function wholeMenu(show: ShowMenu): (event: MouseEvent) => void {
  return (event) => {
    const at = atPoint(event.clientX, event.clientY);
    if (show({ label: 'Whole trace', menu: 'whole', at, byKey: isByKey(event) })) event.preventDefault();
  };
}
