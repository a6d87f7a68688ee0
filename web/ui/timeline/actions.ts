import { computed } from '@preact/signals';
import { createScope, type Dispose } from '../../base/scope.ts';
import { watch } from '../../base/watch.ts';
import { SLICE_ROW } from '../../model/layout.ts';
import { firstSlice, type Pointed, pointedOf } from '../../model/pointing.ts';
import { rangeBetween, toPixel } from '../../model/view.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import type { TraceActions } from '../commands/context.ts';
import { FIND_ID } from '../find/find_bar.tsx';
import { GO_TO_ID } from './go_to.tsx';

/**
 * What commands do with a trace. `area` is the element of the timeline; `scrollBy` scrolls the tracks by CSS pixels of
 * the layout.
 */
export function createTraceActions(
  { trace, timeline, selection, statistics, find }: OpenTrace,
  { area, scrollBy }: { readonly area: HTMLElement; readonly scrollBy: (pixels: number) => void },
): TraceActions & { readonly dispose: Dispose } {
  const scope = createScope();
  const widthOf = () => timeline.size.peek().width;
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
  const select = (next: Pointed | null) => {
    if (!next) return;
    selection.selected.value = next;
    bringIntoView(next);
  };
  scope.add(
    watch([selection.revealed], () => {
      const pointed = selection.revealed.peek();
      if (pointed) bringIntoView(pointed);
    }),
  );
  let latest: 'selected' | 'range' = 'selected';
  scope.add(
    watch([selection.selected], () => {
      if (selection.selected.peek()) latest = 'selected';
    }),
  );
  scope.add(
    watch([statistics.range], () => {
      if (statistics.range.peek()) latest = 'range';
    }),
  );

  scope.add(
    watch([find.chosen], () => {
      const hit = find.chosen.peek();
      if (hit) bringIntoView(hit);
    }),
  );

  return {
    area,
    hasSelection: computed(() => selection.selected.value !== null || selection.record.value !== null),
    zoom: (factor) => timeline.zoom(widthOf() / 2, factor, 'gliding'),
    pan: (part) => timeline.glideBy(part * widthOf()),
    scroll: (rows) => scrollBy(rows * SLICE_ROW),
    showWhole: timeline.showWhole,
    find: () => {
      find.shown.value = true;
      // Its field may have to be made first.
      requestAnimationFrame(() => {
        const field = document.getElementById(FIND_ID);
        if (field instanceof HTMLInputElement) field.select();
      });
    },
    findStep: (by) => void find.step(by),
    hasHits: computed(() => find.count.value > 0),
    goTo: () => document.getElementById(GO_TO_ID)?.focus(),
    fitSelection: () => {
      const selected = selection.selected.peek();
      if (!selected) return;
      if (selected.end !== null) timeline.show({ from: selected.start, to: selected.end });
      else bringIntoView(selected);
    },
    selectFirst: () => {
      const picture = timeline.picture.peek();
      const view = timeline.view.peek();
      if (picture && view) select(firstSlice(picture, timeline.layout.peek(), view, widthOf()));
    },
    step: async (to) => {
      const from = selection.selected.peek();
      if (!from?.item) return;
      const found = await trace.find({ to, item: from.item });
      // A selection made in the meantime takes precedence.
      if (found && selection.selected.peek() === from) select(pointedOf(found));
    },
    selectRange: () => {
      const selected = selection.selected.peek();
      const view = timeline.view.peek();
      const whole = timeline.whole.peek();
      if (!view || !whole) return;
      statistics.range.value =
        selected && selected.end !== null && selected.end > selected.start
          ? { from: selected.start, to: selected.end }
          : rangeBetween(view, whole, 0, widthOf());
    },
    clearLatest: () => {
      const selected = selection.selected.peek() !== null || selection.record.peek() !== null;
      const ranged = statistics.range.peek() !== null;
      if (ranged && (latest === 'range' || !selected)) statistics.range.value = null;
      else if (selected) selection.clear();
      else statistics.highlighted.value = -1;
    },
    dispose: scope.dispose,
  };
}
