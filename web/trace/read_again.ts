import { effect, type ReadonlySignal, untracked } from '@preact/signals';
import type { Companion } from '../base/companions.ts';

/** A trace that may have to be read again. */
export interface Again {
  /** How to read it again, if its programs say that calls are below others that cannot have made them. */
  readonly again: ReadonlySignal<Uint8Array | null>;
}

/**
 * Calls `read` when the binaries of a trace say that it should be read again, or no longer say so, with {@link Again.again} and a
 * sentence for the user. Returns what ends that.
 */
export function whenAgain({ again }: Again, read: (jumps: Uint8Array, sentence: string) => void) {
  return effect(() => {
    const jumps = again.value;
    if (!jumps) return;
    const why = jumps.length > 0 ? 'its binary says which calls were left by jumps' : 'its binaries have changed';
    untracked(() => read(jumps, `The trace was read again: ${why}.`));
  });
}

/** The companions, one of which names the functions of an object by the user's choice. */
export function withObject(all: readonly Companion[], companion: number, object: number | null): readonly Companion[] {
  return all.map((it) => (it.id === companion ? { ...it, object } : it));
}
