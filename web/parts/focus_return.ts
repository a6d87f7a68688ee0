import { createScope, type Dispose } from '../base/scope.ts';

/** Elements that are remembered at most. */
const MOST = 32;

/** What got the focus back, until the user presses a key or a button. */
let given: Element | null = null;

/** Whether an element has the focus only because it was given back to it: what comes late in place of what was closed may take it. */
export function isGivenBack(element: Element | null): boolean {
  return element !== null && element === given;
}

/**
 * Gives the focus back to where it was when a key or a click has closed what had it, until disposed. Without that it would be
 * nowhere, and who has no pointer would begin at the top of the page. `home` is the element that takes it when it was nowhere before,
 * or when all that had it is gone; null without one. What is `elsewhere` does not get it back, although it has had it.
 */
export function returnFocus(
  home: () => HTMLElement | null,
  elsewhere: (element: HTMLElement) => boolean = () => false,
): Dispose {
  const scope = createScope();
  /** What had the focus, the latest last. The body stands for nowhere. */
  let earlier: HTMLElement[] = [];
  const remember = (element: HTMLElement) => {
    earlier = [...earlier.filter((known) => known !== element && known.isConnected), element].slice(-MOST);
  };
  const isLost = () => document.activeElement === null || document.activeElement === document.body;
  const takes = (element: HTMLElement | null) => {
    // A hidden or a disabled element does not take it.
    element?.focus({ preventScroll: true });
    const has = document.activeElement === element;
    if (has) given = element;
    return has;
  };
  const giveBack = () => {
    // The latest has lost it, or has given it up.
    for (let i = earlier.length - 2; i >= 0; i -= 1) {
      const element = earlier[i]!;
      if (element === document.body) break;
      if (element.isConnected && !elsewhere(element) && takes(element)) return;
    }
    takes(home());
  };
  /** In the next frame what was asked for has been drawn, and commands of menus have not begun. */
  const watch = (event: Event) => {
    given = null;
    if (isLost()) return;
    const had = document.activeElement;
    // Tab leads out of the page behind its last element, which stays.
    const isLeft = () => event instanceof KeyboardEvent && event.key === 'Tab' && had?.isConnected;
    requestAnimationFrame(() => {
      if (isLost() && !isLeft()) giveBack();
    });
  };
  scope.listen<FocusEvent>(document, 'focusin', ({ target }) => {
    if (target instanceof HTMLElement) remember(target);
  });
  scope.listen(window, 'keydown', watch, { capture: true });
  scope.listen(window, 'click', watch, { capture: true });
  // A press on what takes no focus means to be nowhere.
  scope.listen(
    window,
    'pointerdown',
    () => {
      given = null;
      requestAnimationFrame(() => {
        if (isLost()) remember(document.body);
      });
    },
    { capture: true },
  );
  return scope.dispose;
}
