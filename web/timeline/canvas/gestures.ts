import { createScope, type Dispose } from '../../base/scope.ts';

/** The effects of gestures. Lengths are CSS pixels; places are relative to the element. */
export interface GestureTarget {
  /** Moves the content along with the pointer, which was at `y` when the drag began. */
  drag(dx: number, dy: number, y: number): void;
  /** Begins a range at a place, by a drag with Shift. */
  beginRange(from: RangePlace): void;
  /** Begins to move the edge of the range at a place, without Shift. Returns false if there is none. */
  grip(x: number): boolean;
  /** Selects the range up to a place. `done` when the pointer is released. */
  range(to: RangePlace, done: boolean): void;
  /** Zooms at `x`; a `factor` above 1 shows more. */
  zoom(x: number, factor: number): void;
  /** Pans; positive is to the right. */
  sideways(pixels: number): void;
  /** Scrolls the tracks at `y`; positive is down. Returns false if all tracks fit into the window. */
  scroll(pixels: number, y: number): boolean;
  /** The place of the pointer, or null when it leaves. Not called during a drag. */
  hover(at: { readonly x: number; readonly y: number } | null): void;
  /** `extend` with Shift. */
  click(x: number, y: number, extend: boolean): void;
  doubleClick(x: number, y: number): void;
}

/** A place of the pointer in the drag of a range. */
export interface RangePlace {
  readonly x: number;
  readonly y: number;
  /** The edge may snap; not while Ctrl (or Command) is held. */
  readonly snaps: boolean;
}

/** CSS pixels of movement below which a press is a click. */
const CLICK_SLACK = 4;
/** CSS pixels of a line, for wheels that count lines. */
const LINE = 33;
/** The logarithm of the zoom per CSS pixel of a wheel and of a pinch, and the most that a step of a pinch zooms. */
const WHEEL_ZOOM = 0.0025;
const PINCH_ZOOM = 0.008;
const MOST_PINCH = 0.25;

/** Turns pointer and wheel events on an element into gestures, until disposed. */
export function listenForGestures(element: HTMLElement, target: GestureTarget): Dispose {
  const scope = createScope();
  const pointers = new Map<number, { x: number; y: number }>();
  let dragging = false;
  let pinched = false;
  /** The drag is one of a range, or of one of its edges. */
  let ranging = false;
  /** Where a pointer was released last. Browsers round the places of clicks, which may be those of a neighbour then. */
  let released: Place | null = null;
  /** Where the first pointer went down. */
  let fromY = 0;

  const place = (event: MouseEvent) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const rangePlace = (event: MouseEvent): RangePlace => ({ ...place(event), snaps: !event.ctrlKey && !event.metaKey });
  scope.listen<PointerEvent>(element, 'pointerdown', (event) => {
    if (event.pointerType === 'mouse' && event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    if (pointers.size === 0) {
      dragging = false;
      pinched = false;
      fromY = place(event).y;
      ranging = event.shiftKey || target.grip(place(event).x);
      if (event.shiftKey) target.beginRange(rangePlace(event));
    }
    pointers.set(event.pointerId, place(event));
    target.hover(null);
  });
  scope.listen<PointerEvent>(element, 'pointermove', (event) => {
    const at = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (pointers.size === 0) target.hover(at);
      return;
    }
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, at);
    if (other) {
      // The second finger ends the range.
      if (ranging && dragging) target.range(rangePlace(event), true);
      ranging = false;
      pinched = true;
      pinch(before, at, other, fromY, target);
      return;
    }
    if (!dragging && Math.hypot(at.x - before.x, at.y - before.y) < CLICK_SLACK) {
      // Keeping the first place lets a later drag include this movement.
      pointers.set(event.pointerId, before);
      return;
    }
    dragging = true;
    if (ranging) {
      target.range(rangePlace(event), false);
      return;
    }
    element.classList.add('dragging');
    target.drag(at.x - before.x, at.y - before.y, fromY);
  });
  const release = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId) || pointers.size > 0) return;
    element.classList.remove('dragging');
    const at = place(event);
    released = at;
    if (event.type === 'pointerup' && !dragging && !pinched) target.click(at.x, at.y, event.shiftKey);
    if (dragging && ranging) target.range(rangePlace(event), true);
    ranging = false;
    if (event.pointerType === 'mouse') target.hover(at);
  };
  scope.listen<PointerEvent>(element, 'pointerup', release);
  scope.listen<PointerEvent>(element, 'pointercancel', release);
  scope.listen<PointerEvent>(element, 'pointerleave', () => {
    if (pointers.size === 0) target.hover(null);
  });
  scope.listen<MouseEvent>(element, 'dblclick', (event) => {
    const at = released ?? place(event);
    target.doubleClick(at.x, at.y);
  });
  scope.listen<WheelEvent>(element, 'wheel', (event) => wheel(event, place(event), target), { passive: false });
  return scope.dispose;
}

function wheel(event: WheelEvent, { x, y }: Place, target: GestureTarget): void {
  event.preventDefault();
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : event.deltaMode === 0 ? 1 : 10 * LINE;
  const dx = event.deltaX * unit;
  const dy = event.deltaY * unit;
  // Some systems turn the wheel sideways with Shift, others do not.
  if (event.shiftKey) target.sideways(Math.abs(dx) > Math.abs(dy) ? dx : dy);
  else if (event.altKey) target.scroll(dy, y);
  else if (event.ctrlKey || event.metaKey) target.zoom(x, Math.exp(pinchStep(clampStep(dy))));
  else if (Math.abs(dx) > Math.abs(dy)) target.sideways(dx);
  // What has no room to scroll is zoomed, so that one hand does for most traces.
  else if (!target.scroll(dy, y)) target.zoom(x, Math.exp(clampStep(dy) * WHEEL_ZOOM));
}

/** How far a step with Ctrl zooms. Browsers report a pinch on a touchpad as small steps with Ctrl; those of a wheel are large. */
function pinchStep(pixels: number): number {
  const size = Math.abs(pixels);
  return Math.sign(pixels) * Math.max(Math.min(size * PINCH_ZOOM, MOST_PINCH), size * WHEEL_ZOOM);
}

/** Limits a step, because some mice send a whole page at once. */
function clampStep(pixels: number): number {
  return Math.max(-160, Math.min(160, pixels));
}

type Place = { readonly x: number; readonly y: number };

function pinch(before: Place, now: Place, other: Place, fromY: number, target: GestureTarget): void {
  const wasApart = Math.max(8, Math.abs(before.x - other.x));
  const apart = Math.max(8, Math.abs(now.x - other.x));
  target.drag((now.x - before.x) / 2, (now.y - before.y) / 2, fromY);
  target.zoom((now.x + other.x) / 2, wasApart / apart);
}
