import { signal } from '@preact/signals';
import { expect, test } from 'vitest';
import { createScope } from '../../base/scope.ts';
import type { ResourceEvents } from '../../base/survey_protocol.ts';
import { shownMarks } from '../../timeline/marked.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { Timeline } from '../../timeline/timeline.ts';
import { createAccessMarks } from '../../trace/access_marks.ts';
import type { Tracks } from '../../trace/tracks.ts';
import { markResource } from './resource_marks.ts';

const TRACKS = new Map([
  [0, { id: 0, kind: 'lane' }],
  [3, { id: 3, kind: 'thread', thread: 7 }],
  [4, { id: 4, kind: 'thread', thread: 0 }],
]) as unknown as Tracks;

const EVENTS: ResourceEvents = {
  calls: Float64Array.of(100, 120, 130, 150, 151, 199),
  // The track of thread 9 is not there.
  threads: Float64Array.of(0, 0, 7, 0, 9, 0),
  what: ['created', 'uploaded', 'drawn', 'drawnUntil', 'written', 'deleted'],
};

function create() {
  const picture = signal({ from: 100n, to: 200n, step: 20n });
  const overview = signal(null);
  return createAccessMarks({ picture, overview } as unknown as Timeline);
}

test('what happens to a resource is marked by kind, on the tracks of its threads', () => {
  const marked = create();
  markResource(marked, EVENTS, TRACKS);
  const found = marked.rows.value!.flatMap(({ about, marks: { row, cell } }) =>
    [0, 3, 4].map((track) => [about, track, ...cell.subarray(row(track, 0).first, row(track, 0).end)]),
  );
  expect(found.filter((it) => it.length > 2)).toEqual([
    [2, 4, 2],
    [3, 3, 3],
    [3, 4, 5],
    [4, 4, 0, 9],
  ]);
  markResource(marked, null, TRACKS);
  expect(marked.rows.value).toBe(null);
});

test('marks of a search stay beside them', () => {
  const marked = create();
  const hits = { name: -1 };
  const kinds = signal<unknown>(null);
  const find = { marks: { rows: signal(hits) }, accesses: { rows: kinds } };
  const timeline = { picture: signal(null), overview: signal(null) };
  const open = { find, marked, timeline, scope: createScope() } as unknown as OpenTrace;
  expect(shownMarks(open, 'rows')).toEqual({ hits, accesses: null });
  markResource(marked, EVENTS, TRACKS);
  expect(shownMarks(open, 'rows')).toMatchObject({ hits, accesses: { length: 3 } });
  kinds.value = ['of the search'];
  expect(shownMarks(open, 'rows')).toMatchObject({ hits: null, accesses: { 0: 'of the search', length: 4 } });
});
