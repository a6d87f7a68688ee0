import { isGivenBack } from './focus_return.ts';

/** Focuses an element that comes in place of one that had the focus, and is gone with it. */
export function takeFocus(element: HTMLElement | null | undefined): void {
  const { activeElement } = document;
  if (activeElement === document.body || isGivenBack(activeElement)) element?.focus({ preventScroll: true });
}
