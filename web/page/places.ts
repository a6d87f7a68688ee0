import { type Signal, signal } from '@preact/signals';
import { ticks } from '../base/ticks.ts';
import { selectPosition } from '../timeline/go_to.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import type { Views } from '../timeline/visits.ts';
import { perTrace } from '../trace/per_trace.ts';
import type { Page, Place, Places } from './page.ts';

/** What was in front before a place was shown, and that place. */
interface Shown {
  readonly before: { readonly open: boolean; readonly front: string | undefined; readonly pane: string };
  readonly earlier: Place | null;
  readonly place: Place;
}

const shownIn = perTrace((_: OpenTrace): { readonly latest: Signal<Shown | null> } => ({ latest: signal(null) }));

/** Goes to a place. Going back in the history of the browser leads to where the user came from. */
export function showPlace(place: Place, open: OpenTrace, page: Page): void {
  if (place.to === 'position') {
    void selectPosition(ticks(BigInt(place.at)), open);
    return;
  }
  const { latest } = shownIn(open);
  const { dock } = page;
  const format = open.trace.info.peek()?.format ?? '';
  const before = { open: dock.open.peek(), front: dock.front.peek()[format], pane: dock.pane.peek() };
  latest.value = { before, earlier: latest.peek()?.place ?? null, place };
  display(place, open, page, false);
}

/** Whether a feature of the page shows places of a kind. */
export function canShow(kind: keyof Places, page: Page): boolean {
  return page.features.some(({ shows }) => shows?.[kind] !== undefined);
}

/** What the places of a trace are in the history: what was in front returns with an earlier entry. */
export function viewsOf(open: OpenTrace, page: Page): Views {
  const { latest } = shownIn(open);
  return {
    at: latest,
    show: (at) => {
      const { place } = at as Shown;
      latest.value = at as Shown;
      display(place, open, page, true);
    },
    leave: (at, to) => {
      const { before, earlier } = at as Shown;
      const format = open.trace.info.peek()?.format ?? '';
      const { dock } = page;
      latest.value = to as Shown | null;
      if (earlier) display(earlier, open, page, true);
      const { [format]: _, ...others } = dock.front.peek();
      dock.front.value = before.front === undefined ? others : { ...others, [format]: before.front };
      dock.open.value = before.open;
      dock.pane.value = before.pane;
    },
  };
}

function display(place: Place, open: OpenTrace, page: Page, isReturn: boolean): void {
  for (const { shows } of page.features) {
    const show = place.to === 'position' ? undefined : shows?.[place.to];
    (show as ((...args: unknown[]) => void) | undefined)?.(place, open, page, isReturn);
  }
}
