import type { Track } from '../base/protocol.ts';

/** What holds for no track or for all, except for some, by their ids. Tracks that are still to come are not exceptions. */
export interface Switch {
  readonly all: boolean;
  readonly except: ReadonlySet<number>;
}

/** Which tracks are shown. */
export interface Visibility {
  isShown(id: number): boolean;
  /** Whether a track is only shown because it leads to one that matches the filter. */
  isHeldOpen(id: number): boolean;
  /** Whether the user has hidden the track, by itself or with what it belongs to. */
  isHidden(id: number): boolean;
  /** Number of hidden tracks. */
  readonly hidden: number;
  /** Number of tracks that match the filter; that of all without a filter. */
  readonly matching: number;
}

type Move = readonly [track: number | undefined, before: number | null | undefined];

/** Tracks after moves by id. A move of, or before, a track that is not there is left out. */
export function withMoves(tracks: readonly Track[], moves: readonly Move[]): readonly Track[] {
  const moved = [...tracks];
  for (const [id, before] of moves) {
    const from = moved.findIndex((track) => track.id === id);
    if (from < 0 || before === undefined) continue;
    const [track] = moved.splice(from, 1);
    const to = before === null ? moved.length : moved.findIndex((other) => other.id === before);
    moved.splice(to < 0 ? from : to, 0, track!);
  }
  return moved;
}

interface Choices {
  readonly hidden: ReadonlySet<number>;
  readonly only: number;
  readonly pinned: readonly number[];
  readonly filter: string;
}

/** Which of the tracks are shown; null if all are. */
export function visibilityOf(tracks: readonly Track[], { hidden, only, pinned, filter }: Choices): Visibility | null {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (hidden.size === 0 && only < 0 && words.length === 0) return null;
  const parents = new Map(tracks.map(({ id, parent }) => [id, parent]));
  const below = createBelow(parents);
  const isBelowHidden = below(hidden);
  const kept = new Set(only < 0 ? [] : [only]);
  const isBelowOnly = below(kept);
  const aboveOnly = above(kept, parents);
  const isHidden = (id: number) => isBelowHidden(id) || (only >= 0 && !isBelowOnly(id) && !aboveOnly.has(id));
  const gone = new Set<number>();
  if (hidden.size > 0 || only >= 0) for (const { id } of tracks) if (isHidden(id)) gone.add(id);
  if (words.length === 0) {
    const isShown = (id: number) => !gone.has(id);
    return {
      isShown,
      isHeldOpen: () => false,
      isHidden: (id) => gone.has(id),
      hidden: gone.size,
      matching: tracks.length,
    };
  }
  const matching = new Set<number>();
  for (const { id, name } of tracks) {
    const text = name.toLowerCase();
    if (!gone.has(id) && words.every((word) => text.includes(word))) matching.add(id);
  }
  const isBelowMatch = below(matching);
  const aboveMatch = above(matching, parents);
  const isPinned = below(new Set(pinned));
  return {
    isShown: (id) => !gone.has(id) && (aboveMatch.has(id) || isBelowMatch(id) || isPinned(id)),
    isHeldOpen: (id) => aboveMatch.has(id) && !isBelowMatch(id) && !isPinned(id),
    isHidden: (id) => gone.has(id),
    hidden: gone.size,
    matching: matching.size,
  };
}

/** The tracks above some. */
function above(ids: ReadonlySet<number>, parents: ReadonlyMap<number, number>): ReadonlySet<number> {
  const found = new Set<number>();
  for (const id of ids) {
    let at = parents.get(id);
    while (at !== undefined && at >= 0 && !found.has(at)) {
      found.add(at);
      at = parents.get(at);
    }
  }
  return found;
}

/** Makes tests of whether a track is one of some, or below one of them. */
function createBelow(parents: ReadonlyMap<number, number>): (ids: ReadonlySet<number>) => (id: number) => boolean {
  return (ids) => {
    const known = new Map<number, boolean>();
    return (id) => {
      if (ids.size === 0) return false;
      const chain: number[] = [];
      let at: number | undefined = id;
      let is = false;
      while (at !== undefined && at >= 0) {
        const told: boolean | undefined = ids.has(at) ? true : known.get(at);
        if (told !== undefined) {
          is = told;
          break;
        }
        chain.push(at);
        at = parents.get(at);
      }
      for (const each of chain) known.set(each, is);
      return is;
    };
  };
}
