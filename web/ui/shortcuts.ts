import { effect } from '@preact/signals';
import { createScope, type Dispose } from '../base/scope.ts';
import { SLICE_ROW } from '../model/layout.ts';
import { firstSlice, type Pointed, pointedOf, type Step } from '../model/pointing.ts';
import { rangeBetween, toPixel } from '../model/view.ts';
import type { OpenTrace } from '../model/workbench.ts';

const PAN = 0.2;
const ZOOM = 1.6;

const STEPS: Readonly<Record<string, Step>> = { '.': 'next', ',': 'previous', '[': 'caller', ']': 'callee' };

/** Navigation by keyboard, as the keys' dialog lists it, until disposed. */
export function listenForKeys(
  { trace, timeline, selection, statistics }: OpenTrace,
  { scrollBy, area }: { scrollBy: (pixels: number) => void; area: HTMLElement },
): Dispose {
  const scope = createScope();
  const widthOf = () => timeline.size.peek().width;
  const select = (next: Pointed | null) => {
    if (!next) return;
    selection.selected.value = next;
    bringIntoView(next);
  };
  const bringIntoView = (pointed: Pointed) => {
    const laid = timeline.layout.peek().tracks.find((candidate) => candidate.track.id === pointed.track);
    if (laid) {
      const { height } = timeline.size.peek();
      const row = pointed.end === null ? 0 : pointed.depth - laid.track.lowest;
      const y = laid.top + laid.slices + row * SLICE_ROW - timeline.scrollTop.peek();
      if (y < 0 || y > height - SLICE_ROW) scrollBy(y - height / 2);
    }
    const view = timeline.view.peek();
    if (!view) return;
    const width = widthOf();
    const left = toPixel(view, pointed.start);
    const right = pointed.end === null ? left : toPixel(view, pointed.end);
    if (right < 0 || left > width) timeline.glideBy((left + Math.min(right, left + width)) / 2 - width / 2);
  };
  const fitSelection = () => {
    const selected = selection.selected.peek();
    if (!selected) return;
    if (selected.end !== null) timeline.show({ from: selected.start, to: selected.end });
    else bringIntoView(selected);
  };
  const step = async (to: Step) => {
    const from = selection.selected.peek();
    if (!from?.item) return;
    const found = await trace.find({ to, item: from.item });
    // Whoever has selected something else in the meantime wants that.
    if (found && selection.selected.peek() === from) select(pointedOf(found));
  };
  /** The range of what is selected, or of what is on the screen. */
  const selectRange = () => {
    const selected = selection.selected.peek();
    const view = timeline.view.peek();
    const whole = timeline.whole.peek();
    if (!view || !whole) return;
    statistics.range.value =
      selected && selected.end !== null && selected.end > selected.start
        ? { from: selected.start, to: selected.end }
        : rangeBetween(view, whole, 0, widthOf());
  };
  // One thing at a time is taken back, the latest first.
  let latest: 'selected' | 'range' = 'selected';
  scope.add(
    effect(() => {
      if (selection.selected.value) latest = 'selected';
    }),
  );
  scope.add(
    effect(() => {
      if (statistics.range.value) latest = 'range';
    }),
  );
  const takeBack = () => {
    const selected = selection.selected.peek() !== null;
    const ranged = statistics.range.peek() !== null;
    if (ranged && (latest === 'range' || !selected)) statistics.range.value = null;
    else if (selected) selection.selected.value = null;
    else statistics.highlighted.value = -1;
  };
  const selectFirst = () => {
    const picture = timeline.picture.peek();
    const view = timeline.view.peek();
    if (picture && view) select(firstSlice(picture, timeline.layout.peek(), view, widthOf()));
  };

  /** Answers whether the key means something here. */
  const act = (key: string, inTimeline: boolean): boolean => {
    switch (key) {
      case 'w':
      case '+':
      case '=':
        timeline.zoom(widthOf() / 2, 1 / ZOOM, 'gliding');
        return true;
      case 's':
      case '-':
        timeline.zoom(widthOf() / 2, ZOOM, 'gliding');
        return true;
      case 'a':
      case 'arrowleft':
        timeline.glideBy(-PAN * widthOf());
        return true;
      case 'd':
      case 'arrowright':
        timeline.glideBy(PAN * widthOf());
        return true;
      case 'arrowup':
        scrollBy(-3 * SLICE_ROW);
        return true;
      case 'arrowdown':
        scrollBy(3 * SLICE_ROW);
        return true;
      case 'f':
        fitSelection();
        return true;
      case 'g':
        document.getElementById('go-to')?.focus();
        return true;
      case '0':
        timeline.showWhole();
        return true;
      case 'r':
        selectRange();
        return true;
      case 'escape':
        takeBack();
        return true;
      case 'enter':
        if (inTimeline && !selection.selected.peek()) selectFirst();
        return inTimeline;
      default: {
        const to = STEPS[key];
        if (to) void step(to);
        return to !== undefined;
      }
    }
  };
  scope.listen<KeyboardEvent>(window, 'keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
    const key = event.key.toLowerCase();
    const inTimeline = target === area || target === document.body;
    // Arrows belong to whatever has the focus: they scroll the details and move the dividers.
    if (key.startsWith('arrow') && !inTimeline) return;
    if (act(key, inTimeline)) event.preventDefault();
  });
  return scope.dispose;
}
