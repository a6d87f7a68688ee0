import type { Disassembler } from './instructions.ts';

/** A loader of the disassembler: the first call fetches the module, later ones share it. A failure is not kept. */
export type LoadDisassembler = () => Promise<Disassembler>;

/** A loader that has not loaded anything yet. */
export function createDisassemblerLoader(): LoadDisassembler {
  let loaded: Promise<Disassembler> | null = null;
  return () => {
    loaded ??= import('./wasm/unspool_disassembler.js').then(async ({ default: start, disassemble, starts }) => {
      await start();
      return { disassemble, starts };
    });
    loaded.catch(() => {
      loaded = null;
    });
    return loaded;
  };
}
