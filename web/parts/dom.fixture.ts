import { type ComponentChild, render } from 'preact';
import { act } from 'preact/test-utils';
import { onTestFinished } from 'vitest';

/** CSS pixels that an element is high in a document without layout. */
const HEIGHT = 240;
const scrolled = new WeakMap<Element, number>();
Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { configurable: true, get: () => HEIGHT },
  scrollTop: {
    configurable: true,
    get(this: Element) {
      return scrolled.get(this) ?? 0;
    },
    set(this: Element, top: number) {
      scrolled.set(this, top);
      this.dispatchEvent(new Event('scroll'));
    },
  },
});

/** Mounts a component in the document until the end of the test. Returns what contains it. */
export function mount(node: ComponentChild): HTMLElement {
  const host = document.createElement('div');
  document.body.append(host);
  act(() => render(node, host));
  onTestFinished(() => {
    act(() => render(null, host));
    host.remove();
  });
  return host;
}

/** Mounts another version of what is mounted in `host`. */
export function remount(host: HTMLElement, node: ComponentChild): void {
  act(() => render(node, host));
}

/** Presses a key in an element, by default in the one with the focus. Returns false if the page has handled it. */
export function press(
  key: string,
  target: Element | null = document.activeElement,
  init: KeyboardEventInit = {},
): boolean {
  return send(target, new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }));
}

/** Sends an event to an element, and renders what follows. Returns false if the page has handled it. */
export function send(target: EventTarget | null, event: Event): boolean {
  let isLeft = true;
  act(() => {
    isLeft = target?.dispatchEvent(event) ?? true;
  });
  return isLeft;
}

/** Clicks an element. */
export function click(target: Element | null): void {
  send(target, new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
}

/** Presses the pointer down on an element. */
export function pointerDown(target: EventTarget): void {
  send(target, new PointerEvent('pointerdown', { bubbles: true }));
}

/** Lets promises settle until the next frame, and renders what follows. */
export async function settle(): Promise<void> {
  await act(async () => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    await new Promise((resolve) => requestAnimationFrame(resolve));
  });
}
