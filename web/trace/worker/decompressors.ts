import { notLoaded } from './errors.ts';

/** Loads the module that unpacks, which few files need. Throws a `TraceError` if it does not load. */
export async function loadUnpack() {
  try {
    const unpack = await import('../../worker/wasm/unspool_unpack.js');
    await unpack.default();
    return unpack;
  } catch {
    throw notLoaded('The part of this page that unpacks files');
  }
}

/**
 * Loads the decompressors of traces that are not in Snappy, and passes them to another wasm module: `provide` is the
 * `provideDecompressors` of that module. Throws a `TraceError` if they do not load.
 */
export async function loadDecompressors(provide: (make: (container: string) => object) => void): Promise<void> {
  const { Decompressor } = await loadUnpack();
  provide((container) => new Decompressor(container));
}
