import type { ResourceEvents } from '../base/survey_protocol.ts';
import { type AboutMarks, type AccessMarks, createAccessMarks } from './access_marks.ts';
import type { Find } from './find.ts';
import type { Marks } from './marks.ts';
import type { Timeline } from './timeline.ts';
import type { Tracks } from './tracks.ts';

/** What happens to a resource, by the colour of its marks: an index into the palette's `abouts`. */
export const RESOURCE_MARKS = [
  { about: 4, title: 'created, deleted', what: ['created', 'deleted'] },
  { about: 2, title: 'uploaded', what: ['uploaded'] },
  { about: 3, title: 'bound, drawn with', what: ['bound', 'drawn', 'drawnUntil', 'used'] },
  { about: 1, title: 'written', what: ['written'] },
] as const satisfies readonly { about: number; title: string; what: readonly ResourceEvents['what'][number][] }[];

/** Marks of what a panel has chosen, on the timeline and the overview. They stay until it chooses something else. */
export interface Marked extends Pick<AccessMarks, 'rows' | 'whole' | 'dispose'> {
  /** Marks the events of a resource on the tracks of their threads, or nothing. */
  show(events: ResourceEvents | null, tracks: Tracks): void;
}

/** Nothing is marked yet. */
export function createMarked(timeline: Pick<Timeline, 'picture' | 'overview'>): Marked {
  const { rows, whole, begin, add, dispose } = createAccessMarks(timeline);
  return {
    rows,
    whole,
    show: (events, tracks) => {
      begin(events && Uint8Array.from(RESOURCE_MARKS, ({ about }) => about));
      if (!events) return;
      const track = new Map(
        [...tracks.values()].map(({ id, kind, thread }) => [kind === 'thread' ? Number(thread) : -1, id]),
      );
      const found = [...events.calls.keys()].filter((i) => track.has(events.threads[i]!));
      const kindOf = (i: number) =>
        RESOURCE_MARKS.findIndex(({ what }) => (what as readonly string[]).includes(events.what[i]!));
      add({
        x: BigUint64Array.from(found, (i) => BigInt(events.calls[i]!)),
        track: Uint32Array.from(found, (i) => track.get(events.threads[i]!)!),
        branches: BigUint64Array.from(found, (i) => 1n << BigInt(kindOf(i))),
      });
    },
    dispose,
  };
}

/** The marks of kinds, of a search and of what is chosen, and those of hits without a kind. */
export function shownMarks(
  { marks, accesses }: Pick<Find, 'marks' | 'accesses'>,
  marked: Marked,
  where: 'rows' | 'whole',
): { readonly hits: Marks | null; readonly accesses: readonly AboutMarks[] | null } {
  const found = accesses[where].peek();
  const chosen = marked[where].peek();
  return {
    // The same hits have marks of their kinds.
    hits: found ? null : marks[where].peek(),
    accesses: found && chosen ? [...found, ...chosen] : (found ?? chosen),
  };
}
