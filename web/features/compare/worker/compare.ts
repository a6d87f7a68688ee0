/* The worker that compares two traces. It knows no file: the page gives it what the workers of both have found. */

import { shownByName } from '../../../base/given_names.ts';
import { joinTexts, textsOf } from '../../../base/texts.ts';
import { createScheduler } from '../../../trace/worker/scheduler.ts';
import { serveToPage } from '../../../trace/worker/serving.ts';
import init, {
  Comparer,
  compareValues,
  drawnSentence,
  rankSuspects,
  Sequences,
  Things,
} from '../../../worker/wasm/unspool_compare.js';
import { type Comparing, type FoundHunks, type Profile, type TraceTokens, WIDTHS } from '../protocol.ts';

const loaded = init();
loaded.catch(() => undefined);
const scheduler = createScheduler();
let comparer: Comparer | null = null;
let sequences: Sequences | null = null;

const NOTHING: FoundHunks = {
  hunks: new Uint32Array(),
  kinds: new Uint8Array(),
  loops: new Uint32Array(),
  around: new Uint32Array(),
  names: [],
  alike: new Uint32Array(),
  aloneA: new Uint32Array(),
  aloneB: new Uint32Array(),
};

/** What `Comparer.flame` calls its views. */
const VIEWS = { down: 0, up: 1, callees: 2, callers: 3 } as const;

/** Steps of an alignment in a turn: some milliseconds. */
const STEPS = 4_000_000;

function take(to: Comparer, side: 0 | 1, of: Profile): void {
  const { names, keys, figures, function: functions, start, own, counted, frequency, interleaved } = of;
  to.take(side, textsOf(names), textsOf(keys), figures, functions, start, own, counted, frequency, interleaved);
}

/** The pairs of threads, once all records are taken. */
function paired(sides: readonly TraceTokens[]): Uint32Array {
  for (const [side, { contents, contentEnds, tracks }] of sides.entries()) {
    sequences?.take(side, contents, contentEnds);
    for (const { track, name, thread, begin } of tracks) {
      sequences?.takeTrack(side, track, name, thread ?? undefined, begin);
    }
  }
  return sequences?.pair() ?? new Uint32Array();
}

const service: Comparing = {
  compare: async (...sides) => {
    await loaded;
    comparer?.free();
    comparer = new Comparer();
    for (const side of [0, 1] as const) {
      const { profile, runs } = sides[side];
      for (const of of [profile, ...runs]) take(comparer, side, of);
    }
    const { names, ...rows } = comparer.rows();
    return { ...rows, names: await joinTexts(names.length, (row) => names[row]!) };
  },
  takePaths: (side, { functions, parent, total, self, count }) =>
    comparer?.takePaths(side, functions, parent, total, self, count),
  flame: async ({ mode, path, width, normalised }) => {
    const view = (of: number) => comparer?.flame(of, Uint32Array.from(path), WIDTHS.indexOf(width), normalised) ?? null;
    const flame = view({ heavy: VIEWS.down, inverted: VIEWS.up, sandwich: VIEWS.callees }[mode]);
    return flame && { flame, callers: mode === 'sandwich' ? view(VIEWS.callers) : null };
  },
  calls: async ({ inverted, parents, names, everything }) =>
    comparer?.calls(inverted, parents, names, everything) ?? null,
  saved: (kind, a, b) => {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    comparer?.saved(kind, a, b, (piece) => pieces.push(piece));
    return new Blob(pieces);
  },
  beginRecords: async (format, rules) => {
    await loaded;
    sequences?.free();
    sequences = null;
    sequences = new Sequences(format, [...rules]);
  },
  takeRecords: async (side, { places, tokens }) => {
    await loaded;
    sequences?.takeTokens(side, places, tokens);
    return tokens;
  },
  pairThreads: async (...sides) => {
    await loaded;
    const pairs = paired(sides);
    return { pairs, alone: sequences?.executedAlone() ?? null };
  },
  first: async (...sides) => {
    await loaded;
    paired(sides);
    return sequences?.first() ?? new Uint32Array();
  },
  align: async (pair, stop) => {
    const of = sequences;
    of?.begin(pair);
    for (;;) {
      const found = of?.turn(STEPS) ?? null;
      if (found || !of) return found ?? NOTHING;
      // What the page asks meanwhile comes first.
      await scheduler.turn('rest');
      if (of !== sequences || stop.aborted) return NOTHING;
    }
  },
  compareValues: async (a, b, given) => {
    await loaded;
    const names = await shownByName(given);
    return compareValues(a, b, [...names.keys()], [...names.values()]) ?? null;
  },
  rankSuspects: async (runs, passed, given) => {
    await loaded;
    const names = await shownByName(given);
    const found = rankSuspects([...runs], passed, [...names.keys()], [...names.values()]);
    if (!found) return null;
    const own = [...found.statements.map(({ name }) => name), ...found.tests.map(({ statement }) => statement)];
    const shown = new Map(own.map((name) => [name, names.get(name) ?? name]));
    return { found, names: shown };
  },
  thingsApart: async (...sides) => {
    await loaded;
    const things = new Things();
    for (const [side, { resources, held, findings }] of sides.entries()) {
      const { kind, label, facts, name, size, levels, uploads, created } = resources;
      const texts = [kind, label, facts, held.key].map((column) => [...column]) as [
        string[],
        string[],
        string[],
        string[],
      ];
      things.takeResources(side, ...texts, name, size, levels, uploads, created, held.uploaded);
      things.takeFindings(side, [...findings.kind], [...findings.sentence], findings.count, findings.first);
    }
    const found = things.rows();
    things.free();
    return found;
  },
  drawnSentence: async (a, b) => {
    await loaded;
    return drawnSentence(a, b);
  },
};

serveToPage(service);
