import { notLoaded } from './errors.ts';

/**
 * Loads the decompressor of Brotli, which few traces need, and passes it to another wasm module: `provide` is the
 * `provideBrotli` of that module. Throws a `TraceError` if it does not load.
 */
export async function loadBrotli(provide: (make: () => object) => void): Promise<void> {
  try {
    const { default: start, Brotli } = await import('./wasm/unspool_brotli.js');
    await start();
    provide(() => new Brotli());
  } catch {
    throw notLoaded('The part of this page that reads Brotli');
  }
}
