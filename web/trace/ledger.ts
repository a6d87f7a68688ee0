import { type ReadonlySignal, signal } from '@preact/signals';
import type { Jobs } from './jobs.ts';

/** Most bytes of a trace and of everything made from it, as in `crate/engine/src/ledger.rs`, and the part left to its own worker. */
export const LIMIT = 2_000_000_000;
const RESERVE = LIMIT / 8;
/** Bytes that the other workers may hold beside any trace, however large that is. */
export const LEAST = 64 << 20;

/** Something that a worker holds for a trace. */
export interface Held {
  /** A noun phrase for the user, in the plural, after "the": `tables for SQL`. */
  readonly noun: string;
  readonly bytes: number;
  /** Frees it; null while it is in use. */
  readonly free: (() => void) | null;
}

/**
 * One account of what other workers than the trace's own hold for it. With the trace and its results it stays below {@link LIMIT}: that
 * worker counts these bytes as its own (`Jobs::set_elsewhere`), so results that were not used for the longest time go there,
 * and what others hold goes here.
 */
export interface Ledger {
  /** Enters what something holds, by a key. That counts as a use. What was not used for the longest time goes if there is no room. */
  set(key: string, held: Held): void;
  /** Bytes that something can have, once all that can go has gone. */
  room(key: string): number;
  /** Frees what was not used for the longest time. Returns false if there is nothing. */
  giveWay(): boolean;
  /** What went last, in a sentence; '' before. */
  readonly told: ReadonlySignal<string>;
}

/** An empty account beside a trace of `storeBytes`. `post` tells the worker of the trace how many bytes others hold. */
export function createLedger(storeBytes: () => number, post: (bytes: number) => void): Ledger {
  const told = signal('');
  /** The least recently used comes first. */
  const entries = new Map<string, Held>();
  let posted = 0;
  const total = () => [...entries.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  const most = () => Math.max(LEAST, LIMIT - RESERVE - storeBytes());
  /** Frees the least recently used entry but `except`. */
  const evict = (except: string | null): boolean => {
    const oldest = [...entries].find(([key, { free, bytes }]) => key !== except && free && bytes > 0);
    if (!oldest) return false;
    const [key, { noun, free }] = oldest;
    entries.delete(key);
    free?.();
    told.value = `The ${noun} were removed to make room in memory.`;
    return true;
  };
  const tell = () => {
    const bytes = total();
    if (bytes !== posted) post(bytes);
    posted = bytes;
  };
  return {
    told,
    set: (key, held) => {
      entries.delete(key);
      entries.set(key, held);
      while (total() > most() && evict(key));
      tell();
    },
    room: (key) => {
      const inUse = [...entries].filter(([other, { free }]) => other !== key && !free);
      return Math.max(0, most() - inUse.reduce((sum, [, { bytes }]) => sum + bytes, 0));
    },
    giveWay: () => {
      const hasGone = evict(null);
      tell();
      return hasGone;
    },
  };
}

/** Jobs that start over after what other workers hold has made room, before they fail for lack of memory. */
export function withRoom(begin: Jobs['begin'], ledger: Pick<Ledger, 'giveWay'>): Jobs['begin'] {
  const again: Jobs['begin'] = (question, take, slot) => {
    let cancel = begin(
      question,
      (reply) => {
        if (reply.t === 'job-failed' && reply.error.kind === 'limit' && ledger.giveWay())
          cancel = again(question, take, slot);
        else take(reply);
      },
      slot,
    );
    return () => cancel();
  };
  return again;
}
