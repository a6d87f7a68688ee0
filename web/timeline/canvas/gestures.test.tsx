import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { mount, send } from '../../parts/dom.fixture.ts';
import { type GestureTarget, listenForGestures } from './gestures.ts';
import { withoutRows } from './pointer.ts';

let log: string[];
/** Whether the tracks are higher than the window. */
let isTall: boolean;

beforeEach(() => {
  log = [];
  isTall = false;
});

/** An element that listens for gestures until the end of the test, and notes them. */
function listening(change: (target: GestureTarget) => GestureTarget = (target) => target): HTMLElement {
  const element = mount(<div />).firstElementChild as HTMLElement;
  const nothing = () => undefined;
  const target: GestureTarget = {
    drag: nothing,
    beginRange: ({ x, snaps }) => log.push(`begin ${x}${snaps ? ' snaps' : ''}`),
    grip: (x) => x === 700,
    range: ({ x }, isDone) => log.push(`range ${x}${isDone ? ' done' : ''}`),
    zoom: (_, factor) => log.push(`zoom ${factor.toFixed(2)}`),
    sideways: (pixels) => log.push(`sideways ${pixels}`),
    scroll: (pixels) => {
      if (isTall) log.push(`scroll ${pixels}`);
      return isTall;
    },
    hover: nothing,
    click: (x, y) => log.push(`click ${x} ${y}`),
    doubleClick: (x, y) => log.push(`double ${x} ${y}`),
  };
  onTestFinished(listenForGestures(element, change(target)));
  return element;
}

/** Turns the wheel over an element that listens. Returns what it did. */
function wheel(deltaY: number, init: Pick<WheelEventInit, 'ctrlKey' | 'metaKey' | 'shiftKey' | 'deltaX'> = {}) {
  const element = listening();
  const event = new WheelEvent('wheel', { deltaY, cancelable: true, bubbles: true });
  // Not all test documents take modifiers of a wheel.
  for (const [key, value] of Object.entries(init)) Object.defineProperty(event, key, { value });
  expect(send(element, event)).toBe(false);
  return log;
}

it('the wheel zooms where all tracks fit', () => {
  expect(wheel(-100)).toEqual(['zoom 0.78']);
});

it('the wheel scrolls tracks that are higher than the window, and zooms with Ctrl', () => {
  isTall = true;
  wheel(100);
  wheel(-100, { ctrlKey: true });
  wheel(-100, { metaKey: true });
  expect(log).toEqual(['scroll 100', 'zoom 0.78', 'zoom 0.78']);
});

it('a pinch zooms by more than a step of the wheel of the same size', () => {
  expect(wheel(10, { ctrlKey: true })).toEqual(['zoom 1.08']);
});

it('the wheel pans with Shift and sideways', () => {
  isTall = true;
  wheel(100, { shiftKey: true });
  wheel(3, { deltaX: 40 });
  expect(log).toEqual(['sideways 100', 'sideways 40']);
});

it('a double click is where the clicks were, although its own place is rounded', () => {
  const element = listening();
  element.setPointerCapture = () => undefined;
  const at = { clientX: 20.7, clientY: 5.2, button: 0, pointerId: 1, pointerType: 'mouse' };
  send(element, new PointerEvent('pointerdown', at));
  send(element, new PointerEvent('pointerup', at));
  send(element, new MouseEvent('dblclick', { clientX: 20, clientY: 5 }));
  expect(log).toEqual(['click 20.7 5.2', 'double 20.7 5.2']);
});

it('a drag on the ruler selects a range without a key, and moves its edges', () => {
  const element = listening(withoutRows);
  element.setPointerCapture = () => undefined;
  const drag = (from: number, to: number) => {
    const at = { clientY: 5, button: 0, pointerId: 1, pointerType: 'mouse' };
    send(element, new PointerEvent('pointerdown', { ...at, clientX: from }));
    send(element, new PointerEvent('pointermove', { ...at, clientX: to }));
    send(element, new PointerEvent('pointerup', { ...at, clientX: to }));
  };
  drag(300, 650);
  drag(700, 800);
  expect(log).toEqual(['begin 300', 'range 650', 'range 650 done', 'range 800', 'range 800 done']);
  drag(20, 20);
  expect(log.slice(5)).toEqual(['begin 20']);
});
