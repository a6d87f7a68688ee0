import type { Disassembler } from './instructions.ts';

/** A loader of the disassembler: the first call fetches the module, later ones share it. A failure is not kept. */
export type LoadDisassembler = () => Promise<Disassembler>;

/** A loader that has not loaded anything yet. */
export function createDisassemblerLoader(): LoadDisassembler {
  let loaded: Promise<Disassembler> | null = null;
  return () => {
    loaded ??= import('../../worker/wasm/unspool_disassembler.js').then(
      async ({ default: start, disassemble, reads, starts, __wbg_reset_state: renew }) => {
        await start();
        return withoutTraps({ disassemble, reads, starts }, renew);
      },
    );
    loaded.catch(() => {
      loaded = null;
    });
    return loaded;
  };
}

/**
 * A disassembler that knows no instruction where `module` traps: its decoders are other projects', and have bugs. After a trap
 * the memory of an instance is unreliable, so `renew` replaces it.
 */
export function withoutTraps(module: Disassembler, renew: () => void): Disassembler {
  const guarded = <T>(run: () => T, otherwise: T): T => {
    try {
      return run();
    } catch {
      renew();
      return otherwise;
    }
  };
  return {
    disassemble: (...instruction) => guarded(() => module.disassemble(...instruction), undefined),
    reads: (...instruction) => guarded(() => module.reads(...instruction), undefined),
    starts: (...code) => guarded(() => module.starts(...code), new Uint32Array()),
  };
}
