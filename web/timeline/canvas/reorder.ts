import { createScope, type Dispose } from '../../base/scope.ts';
import { type LaidTrack, layoutY, trackAt } from '../layout.ts';
import type { Timeline } from '../timeline.ts';

/** Where a dragged track would go. */
export interface Drop {
  /** CSS pixels of the layout. */
  readonly y: number;
  readonly isPinned: boolean;
  /** The track that it would be put before, or null for the end. */
  readonly before: number | null;
}

/** CSS pixels of movement below which a press is a click. */
const CLICK_SLACK = 4;
/** CSS pixels at the edges of the list near which a drag scrolls, and by how much a frame. */
const EDGE = 28;
const SCROLL = 12;

/** What happens during a drag, and with a click. */
export interface ReorderTarget {
  /** null when nothing is dragged. */
  dragged(track: number | null, drop: Drop | null): void;
  chosen(track: number): void;
  scrollBy(pixels: number): void;
}

/**
 * Lets the mouse drag the tracks of a list to another place among their siblings, until disposed. Touch scrolls the list; there
 * the menu of a track moves it.
 */
export function listenForReorder(element: HTMLElement, timeline: Timeline, target: ReorderTarget): Dispose {
  const scope = createScope();
  let pressed: { readonly track: number; readonly y: number; readonly pointer: number } | null = null;
  let drop: Drop | null = null;
  let dragging = false;
  let at = 0;
  let frame = 0;

  const placeOf = (event: PointerEvent) => event.clientY - element.getBoundingClientRect().top;
  const isControl = (node: EventTarget | null) => node instanceof Element && node.closest('button, input') !== null;
  const follow = () => {
    if (!pressed) return;
    drop = dropAt(timeline, pressed.track, at);
    target.dragged(pressed.track, drop);
  };
  /** Scrolls while the pointer is near an edge. */
  const scroll = () => {
    frame = 0;
    if (!dragging) return;
    const by = at < EDGE ? -SCROLL : at > element.clientHeight - EDGE ? SCROLL : 0;
    if (by === 0) return;
    target.scrollBy(by);
    follow();
    frame = requestAnimationFrame(scroll);
  };
  const end = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    pressed = null;
    drop = null;
    dragging = false;
    target.dragged(null, null);
  };
  scope.listen<PointerEvent>(element, 'pointerdown', (event) => {
    if (event.pointerType === 'touch' || event.button !== 0 || isControl(event.target)) return;
    const y = placeOf(event);
    const laid = trackAt(timeline.layout.peek(), layoutY(timeline.layout.peek(), timeline.window.peek(), y));
    if (!laid) return;
    pressed = { track: laid.track.id, y, pointer: event.pointerId };
  });
  scope.listen<PointerEvent>(element, 'pointermove', (event) => {
    if (!pressed || event.pointerId !== pressed.pointer) return;
    at = placeOf(event);
    if (!dragging && Math.abs(at - pressed.y) < CLICK_SLACK) return;
    if (!dragging) element.setPointerCapture(event.pointerId);
    dragging = true;
    follow();
    if (frame === 0) frame = requestAnimationFrame(scroll);
  });
  scope.listen<PointerEvent>(element, 'pointerup', () => {
    if (!pressed) return;
    const { track } = pressed;
    const goal = drop;
    const moved = dragging;
    end();
    if (!moved) target.chosen(track);
    else if (goal) timeline.arrangement.moveBefore(track, goal.before);
  });
  scope.listen<PointerEvent>(element, 'pointercancel', end);
  scope.listen<KeyboardEvent>(
    window,
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !dragging) return;
      event.stopPropagation();
      end();
    },
    { capture: true },
  );
  scope.add(end);
  return scope.dispose;
}

/** Where a track goes that is dropped at `y` of the window; null if that is where it is. */
export function dropAt({ layout, window }: Pick<Timeline, 'layout' | 'window'>, track: number, y: number): Drop | null {
  const { tracks, pinned, pinnedHeight } = layout.peek();
  const index = tracks.findIndex((laid) => laid.track.id === track);
  const own = tracks[index];
  if (!own) return null;
  const isPinned = index < pinned;
  const part = isPinned ? tracks.slice(0, pinned) : tracks.slice(pinned);
  const siblings = part.filter(
    (laid) => laid.level === own.level && (isPinned || laid.track.parent === own.track.parent),
  );
  const endOf = (laid: LaidTrack) => {
    const after = part.slice(part.indexOf(laid) + 1).find(({ level }) => level <= laid.level);
    return after?.top ?? (isPinned ? pinnedHeight : layout.peek().height);
  };
  const at = layoutY(layout.peek(), window.peek(), y);
  const ends = siblings.map((laid, i) => siblings[i + 1]?.top ?? endOf(laid));
  const to = siblings.findIndex((laid, i) => at < (laid.top + ends[i]!) / 2);
  const from = siblings.indexOf(own);
  if (to === from || to === from + 1 || (to < 0 && from === siblings.length - 1)) return null;
  const next = siblings[to];
  return { y: next?.top ?? ends.at(-1)!, isPinned, before: next?.track.id ?? null };
}
