import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { whenIdle } from '../base/idle.ts';
import { createScope } from '../base/scope.ts';

/** What takes the focus. */
const CONTROLS = 'button, [role="button"], section[tabindex]';

/**
 * Makes the controls in an element one stop of the tab key, between which the arrow keys move the focus. A region that scrolls
 * is a stop of its own, and keeps the arrow keys until it is at its end.
 */
export function useOneTabStop(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const scope = createScope();
    let current: HTMLElement | null = null;
    const controls = () => [...element.querySelectorAll<HTMLElement>(CONTROLS)].filter((it) => !isDisabled(it));
    const mark = () => {
      const all = controls();
      if (!current || !all.includes(current)) current = all[0] ?? null;
      for (const control of all) control.tabIndex = control === current || canScroll(control) ? 0 : -1;
    };
    // What scrolls is known after a layout, which must not hold up the next picture.
    let takeBack = () => {};
    const markSoon = () => {
      takeBack();
      takeBack = whenIdle(mark, 100);
    };
    scope.add(() => takeBack());
    markSoon();
    // Values arrive, unfold and are replaced.
    const observer = new MutationObserver(markSoon);
    observer.observe(element, { childList: true, subtree: true });
    scope.add(() => observer.disconnect());
    scope.listen<FocusEvent>(element, 'focusin', ({ target }) => {
      if (!(target instanceof HTMLElement) || !target.matches(CONTROLS)) return;
      current = target;
      mark();
    });
    scope.listen<KeyboardEvent>(element, 'keydown', (event) => {
      const all = controls();
      const at = event.target instanceof HTMLElement ? all.indexOf(event.target) : -1;
      const to = {
        ArrowDown: at + 1,
        ArrowRight: at + 1,
        ArrowUp: at - 1,
        ArrowLeft: at - 1,
        Home: 0,
        End: all.length - 1,
      }[event.key];
      const next = to === undefined || at < 0 ? undefined : all[to];
      if (!next || event.ctrlKey || event.metaKey || event.altKey || scrolls(all[at]!, event.key)) return;
      event.preventDefault();
      next.focus();
    });
    return scope.dispose;
  }, [box]);
}

function isDisabled(control: HTMLElement): boolean {
  return control instanceof HTMLButtonElement && control.disabled;
}

function canScroll({ scrollHeight, clientHeight, scrollWidth, clientWidth, tagName }: HTMLElement): boolean {
  return tagName === 'SECTION' && (scrollHeight > clientHeight + 1 || scrollWidth > clientWidth + 1);
}

/** Whether a key would scroll a control. */
function scrolls(control: HTMLElement, key: string): boolean {
  if (!canScroll(control)) return false;
  const { scrollTop, scrollHeight, clientHeight, scrollLeft, scrollWidth, clientWidth } = control;
  if (key === 'ArrowRight') return scrollWidth - clientWidth - scrollLeft > 1;
  if (key === 'ArrowLeft') return scrollLeft > 0;
  const room = scrollHeight - clientHeight - scrollTop;
  if (key === 'ArrowDown' || key === 'End') return room > 1;
  return (key === 'ArrowUp' || key === 'Home') && scrollTop > 0;
}
