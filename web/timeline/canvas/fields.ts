import { type OpenTrace, sideOf } from '../open_trace.ts';

/** Id of the field that filters the tracks of a trace. */
export function trackFilterId(open: OpenTrace): string {
  return sideOf(open) === 'b' ? 'track-filter-b' : 'track-filter';
}

/** Moves the focus to the timeline that an element belongs to. */
export function focusArea(element: Element): void {
  element.closest('.side')?.querySelector<HTMLElement>('.area')?.focus({ preventScroll: true });
}
