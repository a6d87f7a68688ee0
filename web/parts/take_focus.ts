/** Focuses an element that comes in place of one that had the focus, and is gone with it. */
export function takeFocus(element: HTMLElement | null | undefined): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true });
}
