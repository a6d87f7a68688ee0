import { notLoaded } from './errors.ts';

/**
 * The module that reads companions of a trace, loaded when there is a file that is not a trace. Throws a `TraceError` if it
 * does not load.
 */
export async function loadSymbols(): Promise<typeof import('../../worker/wasm/unspool_symbols.js')> {
  try {
    const module = await import('../../worker/wasm/unspool_symbols.js');
    await module.default();
    return module;
  } catch {
    throw notLoaded('The part of this page that reads names');
  }
}
