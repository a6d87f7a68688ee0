import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Overview } from '../base/protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import { covers, HIGHEST, LOWEST, type OnScreen, type Picture, questionOf, type Rows } from '../trace/picture.ts';
import { isGoingOn, type Trace } from '../trace/trace.ts';
import type { KeyedTrack } from '../trace/track_keys.ts';
import {
  type Bounds,
  clamped,
  type Extent,
  fitted,
  moved,
  roundedUp,
  sameView,
  united,
  type View,
  zoomed,
} from '../trace/view.ts';
import { type Arrangement, createArrangement } from './arrangement.ts';
import {
  type Band,
  type Below,
  bandsOf,
  EMPTY_LAYOUT,
  isDrawn,
  type Layout,
  layOut,
  layoutY,
  pinnedPart,
  rowsThatFit,
  rowsWithin,
  tracksWithin,
  type Window,
} from './layout.ts';
import { glide } from './motion.ts';

/** CSS pixels of margin on either side of the whole trace. */
const MARGIN = 8;
/** Interval between requests for a picture while the file is being read. */
const REFRESH_MS = 250;
/** Interval between requests for an overview while the file is being read. */
const OVERVIEW_MS = 500;

/** The part of a trace on the screen, and navigation in it. Lengths are CSS pixels. */
export interface Timeline extends OnScreen {
  /** Size of the canvas; set by its surface. */
  readonly size: Signal<{ readonly width: number; readonly height: number }>;
  readonly scrollTop: Signal<number>;
  /** How far the pinned tracks are scrolled within their part of the window. */
  readonly pinnedTop: ReadonlySignal<number>;
  /** The window over the tracks. */
  readonly window: ReadonlySignal<Window>;
  /** Which tracks are shown, and in which order. */
  readonly arrangement: Arrangement;
  /** A track with room below its slices for what else is drawn there. */
  readonly below: Signal<Below | null>;
  /** Rows of slices that a track shows at most, unless the user opens it; set by its surface. */
  readonly most: Signal<number>;
  /** Sets {@link Timeline.most} so that all tracks are at most `room` CSS pixels high, but to `least` rows at least. */
  fit(room: number, least: number): void;
  /** Cells a row of the overview; set by its surface. */
  readonly buckets: Signal<number>;
  /** CSS pixels on either side of the whole trace when all of it is shown. */
  readonly margin: ReadonlySignal<number>;
  /** The span of the overview: the extent, rounded up while it grows. */
  readonly whole: ReadonlySignal<Extent | null>;
  readonly layout: ReadonlySignal<Layout>;
  /** Where views go besides the trace itself, such as to the end of a longer one that is linked to it; null for nowhere else. */
  readonly reach: Signal<Extent | null>;
  /** Whether the picture shows everything on the screen at full resolution. */
  isExact(): boolean;
  /** Pans by pixels. */
  pan(pixels: number): void;
  /** Zooms at a pixel, which keeps its position; a `factor` above 1 shows more. */
  zoom(x: number, factor: number, how?: 'at once' | 'gliding'): void;
  /** Shows an extent with a `margin` on either side, a fraction of the width. */
  show(extent: Extent, how?: 'at once' | 'gliding', margin?: number): void;
  showWhole(): void;
  /** Shows a view, such as one that it has shown before. */
  goTo(view: View, how?: 'at once' | 'gliding'): void;
  /** Whether the view was moved. Until then it shows the whole trace, which may still grow. */
  isMoved(): boolean;
  /** Pans by pixels, animated. */
  glideBy(pixels: number): void;
  /** What is at `y` of the window, as a place of the layout. Subscribes. */
  placeAt(y: number): number;
  /** Scrolls the pinned tracks; positive is down. */
  scrollPinned(pixels: number): void;
  dispose: Dispose;
}

/**
 * The timeline of a trace, with `derived` tracks above its own. Requests pictures and overviews as the view, the tracks
 * and the trace change, until disposed.
 */
export function createTimeline(trace: Trace, derived: ReadonlySignal<readonly KeyedTrack[]> = signal([])): Timeline {
  const scope = createScope();
  const size = signal({ width: 0, height: 0 });
  const scrollTop = signal(0);
  const wantedPinnedTop = signal(0);
  const arrangement = createArrangement(trace.tracks, derived);
  const below = signal<Below | null>(null);
  const most = signal(Number.POSITIVE_INFINITY);
  const buckets = signal(0);
  const view = signal<View | null>(null);
  const picture = signal<Picture | null>(null);
  const overview = signal<Overview | null>(null);
  let touched = false;
  let stopGliding: Dispose = () => undefined;

  const loading = computed(() => isGoingOn(trace.status.value));
  const extent = computed(() => trace.progress.value.extent);
  const whole = computed<Extent | null>(() => {
    const known = extent.value;
    return known && loading.value ? roundedUp(known) : known;
  });
  const reach = signal<Extent | null>(null);
  const bounds = computed(() => whole.value && united(whole.value, reach.value));
  const margin = computed(() => (loading.value ? 0 : MARGIN));
  const look = computed(() => ({
    folded: arrangement.folded.value,
    compact: arrangement.compact.value,
    pinned: arrangement.pinned.value,
    visibility: arrangement.visibility.value,
    opened: arrangement.opened.value,
    below: below.value,
  }));
  const layout = computed(() => {
    if (trace.tracks.value.size === 0) return EMPTY_LAYOUT;
    return layOut(arrangement.ordered.value, { ...look.value, most: most.value });
  });
  const pinnedTop = computed(() => {
    const room = layout.value.pinnedHeight - pinnedPart(layout.value, size.value.height);
    return Math.max(0, Math.min(room, wantedPinnedTop.value));
  });
  const window = computed(() => ({
    scrollTop: scrollTop.value,
    pinnedTop: pinnedTop.value,
    height: size.value.height,
  }));

  scope.add(
    effect(() => {
      const shown = bounds.value;
      const { width } = size.value;
      if (!shown || width === 0) return;
      const now = view.peek();
      // What the user looks at stays, as far as the trace that was read and the window reach.
      const next = touched && now ? clamped(now, boundsOf(shown)) : fitted(shown, width, margin.value);
      if (!now || !sameView(now, next)) view.value = next;
    }),
  );

  const boundsOf = (extent: Extent): Bounds => ({ extent, width: size.peek().width, margin: margin.peek() });
  const move = (next: View) => {
    const shown = bounds.peek();
    if (shown) view.value = clamped(next, boundsOf(shown));
  };
  const go = (next: View, how: 'at once' | 'gliding') => {
    const now = view.peek();
    const shown = bounds.peek();
    if (!now || !shown) return;
    touched = true;
    stopGliding();
    const target = clamped(next, boundsOf(shown));
    if (how === 'at once') view.value = target;
    else stopGliding = glide(now, target, move);
  };
  scope.add(() => stopGliding());

  scope.add(askForPictures(trace, { view, size, window, layout, picture }));
  scope.add(askForOverviews(trace, { buckets, pictured: computed(() => picture.value !== null), overview }));

  const show = (target: Extent, how: 'at once' | 'gliding' = 'gliding', margin = 0.1) => {
    const { width } = size.peek();
    go(fitted(target, width, width * margin), how);
  };
  return {
    size,
    scrollTop,
    pinnedTop,
    window,
    arrangement,
    below,
    most,
    fit: (room, least) => {
      most.value = rowsThatFit(arrangement.ordered.peek(), look.peek(), room, least);
    },
    buckets,
    margin,
    view,
    whole,
    layout,
    reach,
    picture,
    overview,
    isExact: () => {
      const [now, known, { width }] = [view.peek(), picture.peek(), size.peek()];
      if (!now || !known) return false;
      return covers(known, now, width, rowsToDraw(layout.peek(), window.peek(), 0), 0);
    },
    pan: (pixels) => {
      const now = view.peek();
      if (now) go(moved(now, pixels), 'at once');
    },
    glideBy: (pixels) => {
      const now = view.peek();
      if (now) go(moved(now, pixels), 'gliding');
    },
    zoom: (x, factor, how = 'at once') => {
      const now = view.peek();
      const shown = bounds.peek();
      if (now && shown) go(zoomed(now, x, factor, boundsOf(shown)), how);
    },
    show,
    showWhole: () => {
      const shown = bounds.peek();
      if (shown) go(fitted(shown, size.peek().width, MARGIN), 'gliding');
    },
    goTo: (next, how = 'gliding') => go(next, how),
    isMoved: () => touched,
    placeAt: (y) => layoutY(layout.value, window.value, y),
    scrollPinned: (pixels) => {
      wantedPinnedTop.value = pinnedTop.peek() + pixels;
    },
    dispose: scope.dispose,
  };
}

interface ForPictures {
  readonly view: ReadonlySignal<View | null>;
  readonly size: ReadonlySignal<{ readonly width: number; readonly height: number }>;
  readonly window: ReadonlySignal<Window>;
  readonly layout: ReadonlySignal<Layout>;
  readonly picture: Signal<Picture | null>;
}

/** Keeps the picture in step with the window, with one request at a time. The old picture stays until the reply. */
function askForPictures(trace: Trace, { view, size, window, layout, picture }: ForPictures): Dispose {
  const scope = createScope();
  let asking = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  let askedProgress: unknown = null;
  let askedTracks: unknown = null;
  let askedStatus: unknown = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let disposed = false;

  const pump = () => {
    const now = view.peek();
    const { width, height } = size.peek();
    if (asking || disposed || !now || width === 0 || height === 0) return;
    const needed = rowsToDraw(layout.peek(), window.peek(), 0);
    const current = picture.peek();
    if (current && covers(current, now, width, needed)) {
      const finished = askedStatus !== trace.status.peek();
      const grown = !current.complete && askedProgress !== trace.progress.peek();
      // A change of progress or of a track calls for a new picture.
      if (!finished && !grown && askedTracks === trace.tracks.peek()) return;
      const wait = finished ? 0 : askedAt + REFRESH_MS - performance.now();
      if (wait > 0) {
        timer ??= setTimeout(() => {
          timer = undefined;
          pump();
        }, wait);
        return;
      }
    }
    asking = true;
    askedAt = performance.now();
    askedProgress = trace.progress.peek();
    askedTracks = trace.tracks.peek();
    askedStatus = trace.status.peek();
    const rows = rowsToDraw(layout.peek(), window.peek(), height);
    trace.picture(questionOf(now, width, rows)).then((next) => {
      asking = false;
      if (disposed || !next) return;
      picture.value = next;
      pump();
    });
  };

  scope.add(watch([view, size, window, layout, trace.progress, trace.status], pump));
  scope.add(() => {
    disposed = true;
    clearTimeout(timer);
  });
  return scope.dispose;
}

/**
 * The rows in a window, and those within `margin` CSS pixels above and below it. At the top or the end of a track the rows are
 * open-ended, unless it has deeper ones.
 */
export function rowsToDraw(layout: Layout, window: Window, margin: number): Rows[] {
  const needed: Rows[] = [];
  for (const band of bandsOf(layout, window)) addRows(needed, layout, band, margin);
  return needed;
}

function addRows(needed: Rows[], layout: Layout, { top, bottom, shift, isPinned }: Band, margin: number): void {
  const least = isPinned ? 0 : layout.pinnedHeight;
  const most = isPinned ? layout.pinnedHeight : layout.height;
  const from = Math.max(least, top + shift - margin);
  const to = Math.min(most, bottom + shift + margin);
  const { first, end } = tracksWithin(layout, from, to);
  for (let i = first; i < end; i += 1) {
    const laid = layout.tracks[i]!;
    if (!isDrawn(laid)) continue;
    const rows = rowsWithin(laid, from, to);
    const { id, lowest } = laid.track;
    needed.push({
      track: id,
      first: rows.first === 0 ? LOWEST : lowest + rows.first,
      end:
        rows.end === laid.rows && !laid.folded && laid.deeper === 0 ? HIGHEST : lowest + Math.max(rows.first, rows.end),
    });
  }
}

interface ForOverviews {
  readonly buckets: ReadonlySignal<number>;
  /** Whether there has been a picture. */
  readonly pictured: ReadonlySignal<boolean>;
  readonly overview: Signal<Overview | null>;
}

function askForOverviews(trace: Trace, { buckets, pictured, overview }: ForOverviews): Dispose {
  const scope = createScope();
  let asking = false;
  let again = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let disposed = false;

  const ask = async () => {
    const wanted = buckets.peek();
    if (disposed || wanted === 0 || !trace.progress.peek().extent) return;
    // The first picture comes first.
    if (!pictured.peek() && trace.status.peek().at === 'loading') return;
    if (asking) {
      again = true;
      return;
    }
    const wait = isGoingOn(trace.status.peek()) ? askedAt + OVERVIEW_MS - performance.now() : 0;
    if (wait > 0) {
      timer ??= setTimeout(() => {
        timer = undefined;
        void ask();
      }, wait);
      return;
    }
    asking = true;
    askedAt = performance.now();
    const next = await trace.overview(wanted);
    asking = false;
    if (disposed) return;
    if (next) overview.value = next;
    if (again) {
      again = false;
      void ask();
    }
  };
  scope.add(watch([buckets, pictured, trace.progress, trace.status], () => void ask()));
  scope.add(() => {
    disposed = true;
    clearTimeout(timer);
  });
  return scope.dispose;
}
