import { createScope, type Dispose } from '../../base/scope.ts';
import { watch } from '../../base/watch.ts';
import { type Dock, FIRST_HEIGHT, LEAST_HEIGHT } from '../../page/dock.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';

/** Rows of slices that a track shows at least, and at most while the file is being read. */
const LEAST_ROWS = 4;
const FIRST_ROWS = 6;
/** CSS pixels of the timeline at least, and below the last track. */
const LEAST_TIMELINE = 140;
const BELOW = 24;
/** CSS pixels of a dock with few rows: other panels may have more. */
const LOW_DOCK = 200;
/** Milliseconds without a change after which the rows of a panel are complete, and after which they are taken as they are. */
const REST_MS = 150;
const PATIENCE_MS = 2000;

/** A window in which the dock is over the timeline. */
const ONE_PART = '(max-width: 700px)';

/** What the heights of timeline and dock depend on, in CSS pixels. */
export interface Needs {
  /** Of timeline and dock together. */
  readonly room: number;
  /** Of the dock if the timeline could use all the room, too. */
  readonly share: number;
  /** Of all tracks. */
  readonly tracks: number;
  /** Of a dock that shows all that its panel has. It may be infinite. */
  readonly content: number;
}

/** CSS pixels of the dock: what the tracks leave, but at least its share, or less than that if its panel has few rows. */
export function dockHeight({ room, share, tracks, content }: Needs): number {
  const left = room - Math.max(LEAST_TIMELINE, tracks + BELOW);
  return Math.round(Math.max(leastDock({ share, content }), left));
}

/** CSS pixels of the dock beside tracks that could use all the room. */
function leastDock({ share, content }: Pick<Needs, 'share' | 'content'>): number {
  return Math.max(LEAST_HEIGHT, Math.min(share, Math.max(LOW_DOCK, content)));
}

/**
 * Divides the room between timeline and dock by what they hold, until disposed: once the file is read, once the panel in front has
 * its rows, and again when the window changes its size, and when the dock is folded or its edge was moved. In between, nothing
 * moves by itself. A height that the user has chosen stays. `isShared`: two timelines share what the dock leaves, so that neither moves it.
 */
export function divideRoom(
  { trace, timeline }: Pick<OpenTrace, 'trace' | 'timeline'>,
  dock: Dock,
  {
    scroller,
    section,
    isShared,
  }: { readonly scroller: HTMLElement; readonly section: HTMLElement; readonly isShared: boolean },
): Dispose {
  const scope = createScope();
  let content = Number.POSITIVE_INFINITY;
  const divide = () => {
    if (isShared || matchMedia(ONE_PART).matches) {
      timeline.fit(scroller.clientHeight - BELOW, LEAST_ROWS);
      return;
    }
    const now = section.offsetHeight;
    const room = scroller.clientHeight + now;
    if (trace.status.peek().at === 'loading' || scroller.clientHeight === 0) return;
    const isFree = dock.open.peek() && dock.height.peek() === null;
    const most = Number.parseFloat(getComputedStyle(section).maxHeight) || Number.POSITIVE_INFINITY;
    const share = Math.min(FIRST_HEIGHT, most, room / 2);
    timeline.fit(room - (isFree ? leastDock({ share, content }) : now) - BELOW, LEAST_ROWS);
    if (isFree) dock.needed.value = dockHeight({ room, share, tracks: timeline.layout.peek().height, content });
  };
  /** The style of a change is there in the next frame. */
  let frame = 0;
  const divideSoon = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(divide);
  };
  scope.add(() => cancelAnimationFrame(frame));

  dock.needed.value = null;
  timeline.most.value = FIRST_ROWS;
  scope.add(
    watch([trace.status], () => {
      divide();
      if (trace.status.peek().at === 'loading' || !dock.open.peek()) return undefined;
      return whenAtRest(section, () => {
        content = contentOf(section);
        divide();
      });
    }),
  );
  scope.add(watch([dock.open, timeline.below], divideSoon));
  scope.add(
    watch([dock.height], () => {
      // The double click that gives the height back, and not each step of a drag.
      if (dock.height.peek() === null) divideSoon();
    }),
  );
  scope.listen(section, 'pointerup', divideSoon);
  scope.listen(window, 'resize', divideSoon);
  return scope.dispose;
}

/** CSS pixels of a dock that shows all rows of its tables. Infinite without a table: drawings can always use more. */
export function contentOf(section: HTMLElement): number {
  const tables = [...section.querySelectorAll<HTMLElement>('.dock-panel .table')];
  if (tables.length === 0) return Number.POSITIVE_INFINITY;
  const heights = tables.map((box) => {
    const rows = [...box.children].reduce((sum, child) => sum + (child as HTMLElement).offsetHeight, 0);
    return section.offsetHeight - box.clientHeight + rows;
  });
  return Math.max(...heights);
}

/** Calls `then` once, when a panel has rows and nothing in it has changed for a moment. The user's first action comes before that. */
function whenAtRest(section: HTMLElement, then: () => void): Dispose {
  const scope = createScope();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    scope.dispose();
    then();
  };
  const wait = () => {
    clearTimeout(timer);
    if (section.querySelector('.dock-panel tbody tr:not(.spacer)')) timer = setTimeout(end, REST_MS);
  };
  const observer = new MutationObserver(wait);
  observer.observe(section, { childList: true, subtree: true });
  const last = setTimeout(end, PATIENCE_MS);
  scope.add(() => {
    observer.disconnect();
    clearTimeout(timer);
    clearTimeout(last);
  });
  for (const type of ['pointerdown', 'keydown']) scope.listen(window, type, scope.dispose, { capture: true });
  wait();
  return scope.dispose;
}
