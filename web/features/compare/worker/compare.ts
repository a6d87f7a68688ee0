/* The worker that compares the figures of two traces. It knows no file: the page gives it what the workers of both have found. */

import { createScheduler } from '../../../trace/worker/scheduler.ts';
import { serveToPage } from '../../../trace/worker/serving.ts';
import init, { Comparer, Sequences } from '../../../worker/wasm/unspool_compare.js';
import { type Comparing, type FoundHunks, type Profile, WIDTHS } from '../protocol.ts';

const loaded = init();
loaded.catch(() => undefined);
const scheduler = createScheduler();
let comparer: Comparer | null = null;
let sequences: Sequences | null = null;

const NOTHING: FoundHunks = {
  hunks: new Uint32Array(),
  kinds: new Uint8Array(),
  turns: new Uint32Array(),
  alike: new Uint32Array(),
};

/** Steps of an alignment in a turn: some milliseconds. */
const STEPS = 4_000_000;

function take(to: Comparer, side: 0 | 1, of: Profile): void {
  const { names, keys, figures, function: functions, start, own, counted, frequency, interleaved, paths } = of;
  to.take(side, [...names], [...keys], figures, functions, start, own, counted, frequency, interleaved);
  to.takePaths(side, paths.functions, paths.parent, paths.total, paths.self, paths.count);
}

const service: Comparing = {
  compare: async (a, b) => {
    await loaded;
    comparer?.free();
    comparer = new Comparer();
    take(comparer, 0, a);
    take(comparer, 1, b);
    return comparer.rows();
  },
  flame: async (path, width, normalised) => comparer?.flame(path, WIDTHS.indexOf(width), normalised) ?? null,
  folded: () => comparer?.folded() ?? '',
  takeTokens: async (side, contents, ends) => {
    await loaded;
    if (side === 0 || !sequences) {
      sequences?.free();
      sequences = new Sequences();
    }
    sequences.take(side, contents, ends);
  },
  align: async (a, b) => {
    const of = sequences;
    of?.begin(a, b);
    for (;;) {
      const found = of?.turn(STEPS) ?? null;
      if (found || !of) return found ?? NOTHING;
      // What the page asks meanwhile comes first.
      await scheduler.turn('rest');
      if (of !== sequences) return NOTHING;
    }
  },
};

serveToPage(service);
