import { startReader } from '../../../trace/worker/loading.ts';
import init, { provideDecompressors } from '../../../worker/wasm/unspool_graphics.js';

const load = startReader(() => init());

/** Loads the module in which all parts of this worker are, and returns what provides its decompressors. */
export async function loadGraphics() {
  await load();
  return provideDecompressors;
}
