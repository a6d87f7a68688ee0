import type { Track } from '../base/protocol.ts';

/** A track, with what it was made from if it is a derived one. */
export type KeyedTrack = Track & { readonly madeFrom?: string };

/** The keys of tracks: the same in each opening of a file, while ids may depend on the order in which tracks come. */
export interface TrackKeys {
  /** Gives keys to those that have none yet. A parent comes before its children. */
  add(tracks: Iterable<KeyedTrack>): void;
  keyOf(id: number): string | undefined;
  idOf(key: string): number | undefined;
}

/**
 * No keys yet. A key is made of the keys of the parent, the kind, and the id of the thread or process, or else the name.
 * Tracks that are alike in that are numbered.
 */
export function createTrackKeys(): TrackKeys {
  const keys = new Map<number, string>();
  const ids = new Map<string, number>();
  const alike = new Map<string, number>();
  return {
    add: (tracks) => {
      for (const { id, parent, kind, thread, name, madeFrom } of tracks) {
        if (keys.has(id)) continue;
        if (madeFrom !== undefined) {
          // A track that is removed and made again has another id.
          const key = `kept ${madeFrom}`;
          keys.set(id, key);
          ids.set(key, id);
          continue;
        }
        const above = keys.get(parent);
        const own = `${above === undefined ? '' : `${above} / `}${kind} ${thread ?? name}`;
        const number = (alike.get(own) ?? 0) + 1;
        alike.set(own, number);
        const key = number === 1 ? own : `${own} #${number}`;
        keys.set(id, key);
        ids.set(key, id);
      }
    },
    keyOf: (id) => keys.get(id),
    idOf: (key) => ids.get(key),
  };
}
