/* The worker that compares the figures of two traces. It knows no file: the page gives it what the workers of both have found. */

import { serveToPage } from '../../../trace/worker/serving.ts';
import init, { Comparer } from '../../../worker/wasm/unspool_compare.js';
import { type Comparing, type Profile, WIDTHS } from '../protocol.ts';

const loaded = init();
loaded.catch(() => undefined);
let comparer: Comparer | null = null;

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
};

serveToPage(service);
