import type { Track } from '../base/protocol.ts';

/** What makes two tracks a pair. */
type Pairable = Pick<Track, 'id' | 'parent' | 'kind' | 'name'>;

/**
 * Pairs the tracks of two traces: below paired parents, those of one name, and of the rest those of one kind whose names differ in numbers
 * only, such as `thread 7` and `thread 9`, in order. Both lists are in the order on the screen. Returns ids of the second by those of the
 * first; a track without a counterpart has none.
 */
export function pairTracks(first: readonly Pairable[], second: readonly Pairable[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const [above, below] = [childrenOf(first), childrenOf(second)];
  const pairBelow = (a: number | null, b: number | null) => {
    const left = [...(below.get(b) ?? [])];
    const wanted: Pairable[] = [];
    const join = (one: Pairable, at: number) => {
      const [other] = left.splice(at, 1);
      pairs.set(one.id, other!.id);
    };
    for (const one of above.get(a) ?? []) {
      const at = left.findIndex(({ kind, name }) => kind === one.kind && name === one.name);
      if (at >= 0) join(one, at);
      else wanted.push(one);
    }
    for (const one of wanted) {
      const at = left.findIndex((other) => other.kind === one.kind && genericOf(other) === genericOf(one));
      if (at >= 0) join(one, at);
    }
    for (const { id } of above.get(a) ?? []) {
      const other = pairs.get(id);
      if (other !== undefined) pairBelow(id, other);
    }
  };
  pairBelow(null, null);
  return pairs;
}

/** The tracks by their parent, or null without one. */
function childrenOf(tracks: readonly Pairable[]): ReadonlyMap<number | null, readonly Pairable[]> {
  const ids = new Set(tracks.map(({ id }) => id));
  const children = new Map<number | null, Pairable[]>();
  for (const track of tracks) {
    const parent = ids.has(track.parent) ? track.parent : null;
    children.set(parent, [...(children.get(parent) ?? []), track]);
  }
  return children;
}

function genericOf({ name }: Pairable): string {
  return name.replace(/\d+/g, '#');
}
