import type { Track } from '../base/protocol.ts';

/** CSS pixels of a row of slices, with the gap below it. */
export const SLICE_ROW = 17;
/** CSS pixels of the lane of instants. */
export const INSTANT_LANE = 16;
/** CSS pixels of a track that is folded, and of one without room for more than its name. */
export const LOW = 27;
const PROCESS = 30;
const PADDING = 6;
/** CSS pixels of the graph of a counter. */
export const GRAPH = 40;
/** Room for the name and two muted lines, and for the name and one. */
const THREE_LINES = 62;
const TWO_LINES = 46;
/** With more tracks than this each is only as high as it must be. */
const MANY_TRACKS = 40;

/** Where a track is. All lengths are CSS pixels, `top` from the first track's top. */
export interface LaidTrack {
  readonly track: Track;
  readonly level: number;
  readonly top: number;
  readonly height: number;
  /** From `top` to the lane of instants, or -1 if there is none. */
  readonly instants: number;
  /** From `top` to the first row of slices. */
  readonly slices: number;
  /** Rows of slices that are shown: all, or one when folded. */
  readonly rows: number;
  /** From `top` to the graph of a counter, or -1 if there is none. */
  readonly graph: number;
  /** How high the graph is; less in a folded track. */
  readonly graphHeight: number;
  readonly folded: boolean;
  readonly foldable: boolean;
}

/** All tracks that are not hidden in a folded one, top down. */
export interface Layout {
  readonly tracks: readonly LaidTrack[];
  readonly height: number;
}

/** The layout of no tracks. */
export const EMPTY_LAYOUT: Layout = { tracks: [], height: 0 };

/** Lays tracks out as a tree, children below their parent in the order in which they came. */
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

/** Whether a track has anything of its own to draw. */
export function isDrawn(laid: LaidTrack): boolean {
  return laid.rows > 0 || laid.instants >= 0 || laid.graph >= 0;
}

/** The tracks that touch `from` to `to`, as a range of {@link Layout.tracks}. */
export function tracksWithin(layout: Layout, from: number, to: number): { first: number; end: number } {
  return { first: firstEndingAfter(layout, from), end: firstStartingFrom(layout, to) };
}

/** The track at `y`, or undefined below the last. */
export function trackAt(layout: Layout, y: number): LaidTrack | undefined {
  const found = layout.tracks[firstEndingAfter(layout, y)];
  return found && y >= found.top ? found : undefined;
}

/** The rows of a track that touch `from` to `to` (of the whole layout), as a range. */
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
