import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Dispose } from '../../base/scope.ts';
import type { Pointed } from '../../trace/pointed.ts';
import type { Extent } from '../../trace/view.ts';
import { scrolledHeight } from '../layout.ts';
import type { OpenTrace } from '../open_trace.ts';
import { pointAt } from '../pointing.ts';
import { type Ruler, ruler } from '../ruler.ts';

/** Browsers do not lay out a scroller higher than this (CSS pixels) exactly. Beyond it, scrolling skips pixels. */
export const TALLEST = 8_000_000;

/** A place over the timeline, in CSS pixels from its left and top edges. */
export interface PointerPlace {
  readonly x: number;
  readonly y: number;
}

/** What the parts of the timeline share besides the model. */
export interface ViewState {
  /** The range during a drag with Shift, or of one of its edges. */
  readonly drawn: Signal<Extent | null>;
  /** The position of the dragged edge if it is that of a slice, else null. */
  readonly snapped: Signal<bigint | null>;
  /** The pointer is at an edge of the range, which it can drag. */
  readonly atEdge: Signal<boolean>;
  /** null while the pointer is elsewhere. */
  readonly pointer: Signal<PointerPlace | null>;
  /** Whether the field that filters tracks is open. */
  readonly filtering: Signal<boolean>;
  /** null until something is known to show. */
  readonly ruler: ReadonlySignal<Ruler | null>;
  /** Pixels of the layout per pixel of the scroller, at least 1. */
  readonly stretch: ReadonlySignal<number>;
  readonly dispose: Dispose;
}

/** The state for a trace. Until disposed it keeps the hovered item in step with the pointer and the picture. */
export function createViewState({ trace, timeline, selection }: OpenTrace): ViewState {
  const pointer = signal<PointerPlace | null>(null);
  const drawn = signal<Extent | null>(null);
  const filtering = signal(false);
  const snapped = signal<bigint | null>(null);
  const atEdge = signal(false);
  const marks = computed(() => {
    const view = timeline.view.value;
    const info = trace.info.value;
    const extent = trace.progress.value.extent;
    return view && info && extent ? ruler(view, timeline.size.value.width, extent.from, info.clock) : null;
  });
  const stretch = computed(() => {
    const { height } = timeline.size.value;
    const tall = scrolledHeight(timeline.layout.value, height);
    const scrolled = tall - height;
    const room = Math.min(TALLEST, tall) - height;
    return room > 0 ? Math.max(1, scrolled / room) : 1;
  });
  const dispose = effect(() => {
    const at = pointer.value;
    const view = timeline.view.value;
    const picture = timeline.picture.value;
    const next =
      at && view && picture ? pointAt(picture, timeline.layout.value, view, at.x, timeline.placeAt(at.y)) : null;
    if (!samePointed(selection.hovered.peek(), next)) selection.hovered.value = next;
  });
  return { pointer, drawn, filtering, snapped, atEdge, ruler: marks, stretch, dispose };
}

function samePointed(a: Pointed | null, b: Pointed | null): boolean {
  if (a === null || b === null) return a === b;
  return a.track === b.track && a.depth === b.depth && a.start === b.start && a.end === b.end && a.name === b.name;
}
