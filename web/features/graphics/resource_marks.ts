import type { ResourceEvents } from '../../base/survey_protocol.ts';
import type { AccessMarks } from '../../trace/access_marks.ts';
import type { Tracks } from '../../trace/tracks.ts';

/** What happens to a resource, by the colour of its marks: an index into the palette's `abouts`. Interfaces have other words. */
export const RESOURCE_MARKS = [
  { about: 4, title: 'created, deleted', ofInterface: 'created, released', what: ['created', 'deleted'] },
  { about: 2, title: 'uploaded', ofInterface: 'uploaded', what: ['uploaded'] },
  { about: 3, title: 'bound, drawn with', ofInterface: 'used', what: ['bound', 'drawn', 'drawnUntil', 'used'] },
  { about: 1, title: 'written', ofInterface: 'written', what: ['written'] },
] as const satisfies readonly {
  about: number;
  title: string;
  ofInterface: string;
  what: readonly ResourceEvents['what'][number][];
}[];

/** Marks the events of a resource on the tracks of their threads, in place of what was marked, or nothing. */
export function markResource(
  { begin, add }: Pick<AccessMarks, 'begin' | 'add'>,
  events: ResourceEvents | null,
  tracks: Tracks,
): void {
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
}
