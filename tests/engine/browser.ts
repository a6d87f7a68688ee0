/*
 * What a document without a browser lacks. Sizes are those of a window of 1440 by 900 in which every element is as large as the window is
 * wide; what is drawn on canvases is not looked at.
 */

import { innerTextOf } from './aria.ts';

/** CSS pixels of the window. */
export const WINDOW = { width: 1440, height: 900 };
/** CSS pixels of a letter in a canvas. */
const LETTER = 7;

/** Stands for a browser's observer: it reports the size of an element once, as a browser does at first. */
class SizesOnce {
  readonly #report: ResizeObserverCallback;

  constructor(report: ResizeObserverCallback) {
    this.#report = report;
  }

  observe(target: Element): void {
    queueMicrotask(() => {
      const contentRect = { width: target.clientWidth, height: target.clientHeight };
      this.#report([{ target, contentRect } as ResizeObserverEntry], this);
    });
  }

  unobserve(): void {}

  disconnect(): void {}
}

/** Stands for an observer of what is on the screen: everything is. */
class EverythingInSight {
  readonly #report: (entries: readonly object[]) => void;

  constructor(report: (entries: readonly object[]) => void) {
    this.#report = report;
  }

  observe(target: Element): void {
    queueMicrotask(() => this.#report([{ target, isIntersecting: true }]));
  }

  unobserve(): void {}

  disconnect(): void {}
}

/** A 2D context that draws nothing, and whose letters are all equally wide. */
function drawsNothing(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const own: Record<string, unknown> = {
    canvas,
    measureText: (text: string) => ({ width: LETTER * text.length }),
    createImageData: (width: number, height: number) => imageData(width, height),
    getImageData: (_x: number, _y: number, width: number, height: number) => imageData(width, height),
  };
  return new Proxy(own, {
    get: (_, name: string) => own[name] ?? (() => undefined),
    set: (_, name: string, value) => {
      own[name] = value;
      return true;
    },
  }) as unknown as CanvasRenderingContext2D;
}

function imageData(width: number, height: number) {
  return { width, height, data: new Uint8ClampedArray(4 * width * height) };
}

/** Stands for messages of the page to itself: they come from its window and its origin. */
function postToSelf(message: unknown): void {
  const data = structuredClone(message);
  const { origin } = location;
  setTimeout(() => window.dispatchEvent(new MessageEvent('message', { data, origin, source: window })), 0);
}

/** The trees of the editors in the document, which selectors do not look into. */
export const shadows = new Set<ShadowRoot>();

/** Keeps to itself that the selection has changed: browsers say so later, while an editor that hears of it at once is not done with it. */
function keepSelection(event: Event): void {
  event.stopImmediatePropagation();
}

/** Notes shadow trees. One has no focused element while another one has it, where the document throws. */
function completeShadows(): void {
  const { prototype } = Element;
  const attach = prototype.attachShadow;
  if (attach.name !== 'attachAndNote') {
    prototype.attachShadow = function attachAndNote(this: Element, init: ShadowRootInit) {
      const root = attach.call(this, init);
      shadows.add(root);
      return root;
    };
  }
  const active = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, 'activeElement')?.get;
  Object.defineProperty(ShadowRoot.prototype, 'activeElement', {
    configurable: true,
    get(this: ShadowRoot) {
      try {
        return active?.call(this);
      } catch {
        return null;
      }
    },
  });
}

/** An event of what is dragged, which the document's own does not have. */
class Drag extends MouseEvent {
  readonly dataTransfer: DataTransfer | null;

  constructor(type: string, init: DragEventInit = {}) {
    super(type, init);
    this.dataTransfer = init.dataTransfer ?? null;
  }
}

/** An event of the wheel, which has a place and keys. */
class Wheel extends MouseEvent {
  readonly deltaX: number;
  readonly deltaY: number;
  readonly deltaMode = 0;

  constructor(type: string, init: WheelEventInit = {}) {
    super(type, init);
    this.deltaX = init.deltaX ?? 0;
    this.deltaY = init.deltaY ?? 0;
  }
}

/** Adds to the globals of this thread what its document lacks. */
export function completeDocument(): void {
  const contexts = new WeakMap<HTMLCanvasElement, CanvasRenderingContext2D>();
  const { documentElement } = document;
  completeShadows();
  window.addEventListener('selectionchange', keepSelection, true);
  documentElement.lang = 'en';
  Object.assign(globalThis, {
    DragEvent: Drag,
    WheelEvent: Wheel,
    ResizeObserver: SizesOnce,
    IntersectionObserver: EverythingInSight,
    postMessage: postToSelf,
  });
  Object.defineProperties(HTMLElement.prototype, {
    clientWidth: { configurable: true, get: () => WINDOW.width },
    clientHeight: { configurable: true, get: () => WINDOW.height / 3 },
  });
  Object.assign(Element.prototype, { setPointerCapture: () => undefined, releasePointerCapture: () => undefined });
  Object.defineProperty(HTMLElement.prototype, 'innerText', {
    configurable: true,
    get(this: HTMLElement) {
      return innerTextOf(this);
    },
  });
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string) {
    if (kind !== '2d') return null;
    const context = contexts.get(this) ?? drawsNothing(this);
    contexts.set(this, context);
    return context;
  } as never;
}
