import type { Track } from '../base/protocol.ts';
import type { Switch, Visibility } from './visibility.ts';

/** CSS pixels of a row of slices, including the gap below it. */
export const SLICE_ROW = 17;
/** CSS pixels of a row of slices in a compact track, too low for text. */
export const COMPACT_ROW = 7;
/** CSS pixels of the lane of instants. */
export const INSTANT_LANE = 16;
/** CSS pixels of a folded track, and of a track with its name only. */
export const LOW = 27;
const PROCESS = 30;
const PADDING = 6;
/** CSS pixels of the graph of a counter. */
const GRAPH = 40;
/** And of a high one. */
const TALL_GRAPH = 120;
/** CSS pixels of the name and two lines, and of the name and one line. */
const THREE_LINES = 62;
const TWO_LINES = 46;
/** Above this number of tracks, each is only as high as its content. */
const MANY_TRACKS = 40;

/** The place of a track. Lengths are CSS pixels; `top` is relative to the first track. */
export interface LaidTrack {
  readonly track: Track;
  readonly level: number;
  readonly top: number;
  readonly height: number;
  /** From `top` to the lane of instants, or -1 without instants. */
  readonly instants: number;
  /** From `top` to the first row of slices. */
  readonly slices: number;
  /** Rows of slices shown: all, or the first ones, or at most one if folded. */
  readonly rows: number;
  /** Rows of slices below those, which {@link Look.most} hides. */
  readonly deeper: number;
  /** It has more rows than {@link Look.most}, and the user has opened it. */
  readonly isOpened: boolean;
  /** Height of a row of slices, including the gap below it. */
  readonly rowHeight: number;
  /** From `top` to the graph of a counter, or -1 for other tracks. */
  readonly graph: number;
  /** Height of the graph, lower in a folded track. */
  readonly graphHeight: number;
  /** Height of the room below the rows of slices for what else is drawn there. */
  readonly below: number;
  readonly folded: boolean;
  readonly foldable: boolean;
}

/** The visible tracks from top to bottom; children of folded tracks are hidden. */
export interface Layout {
  /** Those that are pinned come first. */
  readonly tracks: readonly LaidTrack[];
  /** Number of tracks that are pinned, or below one that is. */
  readonly pinned: number;
  readonly pinnedHeight: number;
  readonly height: number;
}

/** How tracks are shown. */
export interface Look {
  readonly folded: Switch;
  readonly compact: Switch;
  /** Ids of the pinned tracks, in their order. */
  readonly pinned: readonly number[];
  /** null if all tracks are shown. */
  readonly visibility: Visibility | null;
  /** CSS pixels that a track has below its slices for what else is drawn there; null for none. */
  readonly below: Below | null;
  /** Rows of slices that a track shows at most. A few more are shown rather than hidden. */
  readonly most: number;
  /** Ids of the tracks that show all their rows nevertheless. */
  readonly opened: ReadonlySet<number>;
}

/** A track with room below its slices. */
export interface Below {
  readonly track: number;
  readonly pixels: number;
}

/** The layout of no tracks. */
export const EMPTY_LAYOUT: Layout = { tracks: [], pinned: 0, pinnedHeight: 0, height: 0 };

const NONE: Switch = { all: false, except: new Set() };
const PLAIN: Look = {
  folded: NONE,
  compact: NONE,
  pinned: [],
  visibility: null,
  below: null,
  most: Number.POSITIVE_INFINITY,
  opened: new Set(),
};
/** Rows that are not worth hiding: what says that they are there takes as much room. */
const SPARED_ROWS = 2;

/** Lays out tracks as a tree, children below their parent in the order of `tracks`. */
export function layOut(tracks: Iterable<Track>, look: Partial<Look> = {}): Layout {
  const { folded, compact, pinned, visibility, below, most, opened } = { ...PLAIN, ...look };
  const onTop = new Set(pinned);
  const children = new Map<number, Track[]>();
  const roots = new Map<number, Track>();
  let count = 0;
  for (const track of tracks) {
    count += 1;
    if (visibility && !visibility.isShown(track.id)) continue;
    if (onTop.has(track.id)) {
      roots.set(track.id, track);
      continue;
    }
    const siblings = children.get(track.parent);
    if (siblings) siblings.push(track);
    else children.set(track.parent, [track]);
  }
  const laid: LaidTrack[] = [];
  let top = 0;
  const visit = (track: Track, level: number) => {
    const isParent = children.has(track.id);
    // What leads to a match stays open.
    const isHeldOpen = isParent && (visibility?.isHeldOpen(track.id) ?? false);
    const own = measure(track, {
      level,
      top,
      folded: !isHeldOpen && isOn(folded, track.id, !isHeading(track)),
      compact: isOn(compact, track.id),
      foldable: isParent && !isHeldOpen,
      dense: count > MANY_TRACKS,
      below: below?.track === track.id ? below.pixels : 0,
      most,
      opened: opened.has(track.id),
    });
    laid.push(own);
    top += own.height;
    if (own.folded && isParent) return;
    for (const child of children.get(track.id) ?? []) visit(child, level + 1);
  };
  for (const id of pinned) {
    const root = roots.get(id);
    if (root) visit(root, 0);
  }
  const { length } = laid;
  const pinnedHeight = top;
  for (const root of children.get(-1) ?? []) visit(root, 0);
  return { tracks: laid, pinned: length, pinnedHeight, height: top };
}

/**
 * The number of rows that tracks show at most, so that all tracks are at most `room` CSS pixels high: `least` if they never are,
 * infinite if they are with all their rows.
 */
export function rowsThatFit(tracks: readonly Track[], look: Partial<Look>, room: number, least: number): number {
  const fits = (most: number) => layOut(tracks, { ...look, most }).height <= room;
  if (fits(Number.POSITIVE_INFINITY)) return Number.POSITIVE_INFINITY;
  let low = least;
  let high = tracks.reduce((rows, track) => Math.max(rows, track.rows), least);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Whether a switch is on for a track. `isMeant`: the track is one of those that `all` is about. */
export function isOn({ all, except }: Switch, id: number, isMeant = true): boolean {
  return (all && isMeant) !== except.has(id);
}

/** Whether a track only groups others. */
export function isHeading({ kind, rows, instants }: Track): boolean {
  return kind === 'process' && rows === 0 && instants === 0;
}

/** Whether a track draws slices, instants or a graph. Otherwise it is only a heading. */
export function isDrawn(laid: LaidTrack): boolean {
  return laid.rows > 0 || laid.instants >= 0 || laid.graph >= 0;
}

/** The window over the tracks in CSS pixels: how far they are scrolled, how far the pinned ones are, and its height. */
export interface Window {
  readonly scrollTop: number;
  readonly pinnedTop: number;
  readonly height: number;
}

/** A part of the window, from `top` to `bottom`. What is at `y` of the layout is at `y - shift` of the window. */
export interface Band {
  readonly top: number;
  readonly bottom: number;
  readonly shift: number;
  readonly isPinned: boolean;
}

/** CSS pixels of the window that pinned tracks take: at most half of it, within which they scroll. */
export function pinnedPart({ pinnedHeight }: Layout, height: number): number {
  return Math.min(pinnedHeight, Math.floor(height / 2));
}

/** CSS pixels that the tracks are high to a scroll bar. */
export function scrolledHeight(layout: Layout, height: number): number {
  return layout.height - layout.pinnedHeight + pinnedPart(layout, height);
}

/** Which tracks scroll with the pointer at `y` of the window: the pinned ones there, or else the others. null if all fit. */
export function scrolledAt(layout: Layout, height: number, y: number): 'pinned' | 'others' | null {
  const part = pinnedPart(layout, height);
  if (y < part && layout.pinnedHeight > part) return 'pinned';
  return scrolledHeight(layout, height) > height ? 'others' : null;
}

/** The parts of a window: the pinned tracks, if there are any, and the others below them. */
export function bandsOf(layout: Layout, { scrollTop, pinnedTop, height }: Window): readonly Band[] {
  const part = pinnedPart(layout, height);
  const others = { top: part, bottom: height, shift: layout.pinnedHeight - part + scrollTop, isPinned: false };
  return part > 0 ? [{ top: 0, bottom: part, shift: pinnedTop, isPinned: true }, others] : [others];
}

/** The part of a window that shows a track, on the screen or outside it. */
export function bandOf(layout: Layout, window: Window, laid: LaidTrack): Band {
  const bands = bandsOf(layout, window);
  return laid.top < layout.pinnedHeight ? bands[0]! : bands.at(-1)!;
}

/** What is at `y` of the window, as a place of the layout. */
export function layoutY(layout: Layout, window: Window, y: number): number {
  const bands = bandsOf(layout, window);
  return y + (bands.find(({ bottom }) => y < bottom) ?? bands.at(-1)!).shift;
}

/** The tracks that touch `from` to `to` (CSS pixels of the layout), as a range of {@link Layout.tracks}. */
export function tracksWithin(layout: Layout, from: number, to: number): { first: number; end: number } {
  return { first: firstEndingAfter(layout, from), end: firstStartingFrom(layout, to) };
}

/** The track at `y` (CSS pixels of the layout), or undefined below the last track. */
export function trackAt(layout: Layout, y: number): LaidTrack | undefined {
  const found = layout.tracks[firstEndingAfter(layout, y)];
  return found && y >= found.top ? found : undefined;
}

/** The rows of a track that touch `from` to `to` (CSS pixels of the layout), as a range. */
export function rowsWithin(laid: LaidTrack, from: number, to: number): { first: number; end: number } {
  const base = laid.top + laid.slices;
  return {
    first: Math.max(0, Math.floor((from - base) / laid.rowHeight)),
    end: Math.min(laid.rows, Math.ceil((to - base) / laid.rowHeight)),
  };
}

interface Measured {
  readonly level: number;
  readonly top: number;
  readonly folded: boolean;
  readonly compact: boolean;
  /** It has tracks below it that folding would hide. */
  readonly foldable: boolean;
  /** It is one of many. */
  readonly dense: boolean;
  /** CSS pixels below its slices. */
  readonly below: number;
  readonly most: number;
  readonly opened: boolean;
}

function measure(track: Track, measured: Measured): LaidTrack {
  const { level, top, folded, compact, foldable: parent, dense, below, most, opened } = measured;
  // A single row has room for text below the name's own height.
  const rowHeight = compact && track.rows > 1 ? COMPACT_ROW : SLICE_ROW;
  const none = { instants: -1, slices: 0, rows: 0, deeper: 0, isOpened: false, graph: -1, graphHeight: 0, below: 0 };
  const nothing = { track, level, top, ...none, rowHeight, folded };
  if (isHeading(track)) return { ...nothing, height: PROCESS, foldable: parent };
  if (track.kind === 'counter') {
    const height = folded || compact ? LOW : (track.look?.tall ? TALL_GRAPH : GRAPH) + PADDING;
    return { ...nothing, height, graph: PADDING / 2, graphHeight: height - PADDING, foldable: true };
  }
  const lane = track.instants > 0 && !folded;
  const slices = PADDING / 2 + (lane ? INSTANT_LANE : 0);
  const isDeep = !folded && track.rows > most + SPARED_ROWS;
  const rows = folded ? Math.min(1, track.rows) : isDeep && !opened ? most : track.rows;
  // The only row of a folded track has room for text.
  const own = folded ? SLICE_ROW : rowHeight;
  const content = slices + rows * own + PADDING + below;
  const least = track.kind === 'lane' ? TWO_LINES : THREE_LINES;
  const height = folded ? LOW : Math.max(content, dense || compact ? LOW : least);
  const foldable = parent || track.rows > 1 || track.instants > 0 || track.kind === 'lane';
  return {
    ...nothing,
    height,
    instants: lane ? PADDING / 2 : -1,
    slices,
    rows,
    deeper: isDeep ? track.rows - rows : 0,
    isOpened: isDeep && opened,
    rowHeight: own,
    below: folded ? 0 : below,
    foldable,
  };
}

function firstEndingAfter(layout: Layout, y: number): number {
  return lowerBound(layout.tracks, (laid) => laid.top + laid.height > y);
}

function firstStartingFrom(layout: Layout, y: number): number {
  return lowerBound(layout.tracks, (laid) => laid.top >= y);
}

function lowerBound(tracks: readonly LaidTrack[], holds: (laid: LaidTrack) => boolean): number {
  let low = 0;
  let high = tracks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(tracks[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
