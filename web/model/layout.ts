import type { Track } from '../base/protocol.ts';

/** CSS pixels of a row of slices, including the gap below it. */
export const SLICE_ROW = 17;
/** CSS pixels of the lane of instants. */
export const INSTANT_LANE = 16;
/** CSS pixels of a folded track, and of a track with its name only. */
export const LOW = 27;
const PROCESS = 30;
const PADDING = 6;
/** CSS pixels of the graph of a counter. */
export const GRAPH = 40;
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
  /** Rows of slices shown: all, or at most one if folded. */
  readonly rows: number;
  /** From `top` to the graph of a counter, or -1 for other tracks. */
  readonly graph: number;
  /** Height of the graph, lower in a folded track. */
  readonly graphHeight: number;
  readonly folded: boolean;
  readonly foldable: boolean;
}

/** The visible tracks from top to bottom; children of folded tracks are hidden. */
export interface Layout {
  readonly tracks: readonly LaidTrack[];
  readonly height: number;
}

/** The layout of no tracks. */
export const EMPTY_LAYOUT: Layout = { tracks: [], height: 0 };

/** Lays out tracks as a tree, children below their parent in the order of `tracks`. `folded` holds track ids. */
export function layOut(tracks: Iterable<Track>, folded: ReadonlySet<number>): Layout {
  const children = new Map<number, Track[]>();
  let count = 0;
  for (const track of tracks) {
    count += 1;
    const siblings = children.get(track.parent);
    if (siblings) siblings.push(track);
    else children.set(track.parent, [track]);
  }
  const laid: LaidTrack[] = [];
  let top = 0;
  const visit = (track: Track, level: number) => {
    const own = measure(track, level, top, folded.has(track.id), children.has(track.id), count > MANY_TRACKS);
    laid.push(own);
    top += own.height;
    if (own.folded && children.has(track.id)) return;
    for (const child of children.get(track.id) ?? []) visit(child, level + 1);
  };
  for (const root of children.get(-1) ?? []) visit(root, 0);
  return { tracks: laid, height: top };
}

/** Whether a track draws slices, instants or a graph. Otherwise it is only a heading. */
export function isDrawn(laid: LaidTrack): boolean {
  return laid.rows > 0 || laid.instants >= 0 || laid.graph >= 0;
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
    first: Math.max(0, Math.floor((from - base) / SLICE_ROW)),
    end: Math.min(laid.rows, Math.ceil((to - base) / SLICE_ROW)),
  };
}

function measure(
  track: Track,
  level: number,
  top: number,
  folded: boolean,
  parent: boolean,
  dense: boolean,
): LaidTrack {
  const nothing = { track, level, top, instants: -1, slices: 0, rows: 0, graph: -1, graphHeight: 0, folded };
  const holdsOnly = track.rows === 0 && track.instants === 0 && track.kind === 'process';
  if (holdsOnly) return { ...nothing, height: PROCESS, foldable: parent };
  if (track.kind === 'counter') {
    const height = folded ? LOW : GRAPH + PADDING;
    return { ...nothing, height, graph: PADDING / 2, graphHeight: height - PADDING, foldable: true };
  }
  const lane = track.instants > 0 && !folded;
  const slices = PADDING / 2 + (lane ? INSTANT_LANE : 0);
  const rows = folded ? Math.min(1, track.rows) : track.rows;
  const content = slices + rows * SLICE_ROW + PADDING;
  const least = track.kind === 'lane' ? TWO_LINES : THREE_LINES;
  const height = folded ? LOW : Math.max(content, dense ? LOW : least);
  const foldable = parent || track.rows > 1 || track.instants > 0 || track.kind === 'lane';
  return { ...nothing, height, instants: lane ? PADDING / 2 : -1, slices, rows, foldable };
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
