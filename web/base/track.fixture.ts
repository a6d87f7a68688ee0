import type { Track } from './protocol.ts';

/** A track for tests: an empty thread with one row, except for the given properties. */
export function aTrack(more: Partial<Track> = {}): Track {
  return {
    id: 0,
    parent: -1,
    kind: 'thread',
    name: `track ${more.id ?? 0}`,
    detail: '',
    rows: 1,
    lowest: 0,
    slices: 0,
    instants: 0,
    samples: 0,
    highest: 0,
    lowestValue: 0,
    values: 'unsigned',
    overlapping: false,
    reordering: false,
    ...more,
  };
}
