import { type Signal, signal } from '@preact/signals';
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
 * What other workers than the trace's own hold for a trace. With all traces that are open and their results it stays below {@link LIMIT}: the
 * worker of a trace counts the bytes of all others as its own (`Jobs::set_elsewhere`), so results that were not used for the longest time
 * go there, and what others hold goes here.
 */
export interface Ledger {
  /** Enters what something holds, by a key. That counts as a use. What was not used for the longest time goes if there is no room. */
  set(key: string, held: Held): void;
  /** Bytes that something can have, once all that can go has gone. */
  room(key: string): number;
  /** Frees what was not used for the longest time, of any trace. Returns false if there is nothing. */
  giveWay(): boolean;
  /** What of this trace went last, in a sentence; '' before. */
  readonly told: Signal<string>;
  /** The trace has grown: others hear of it. */
  recount(): void;
  /** The trace is closed: what it took is free for others, and nothing more is entered. */
  dispose(): void;
}

/** A trace in an account. */
interface Member {
  /** Bytes of the trace itself. */
  readonly storeBytes: () => number;
  readonly post: (bytes: number) => void;
  readonly told: Signal<string>;
  posted: number;
}

/** The account of all traces that are open. */
export interface Account {
  readonly members: Set<Member>;
  /** What is held, the least recently used first. */
  readonly entries: Set<Held & { readonly key: string; readonly of: Member }>;
}

/** An account without a trace. */
export function createAccount(): Account {
  return { members: new Set(), entries: new Set() };
}

/** Bytes of the traces of an account, without what others hold for them. */
export function bytesOf({ members }: Account): number {
  return [...members].reduce((sum, { storeBytes }) => sum + storeBytes(), 0);
}

/** The ledger of a trace of `storeBytes` in an account. `post` tells the worker of the trace how many bytes others hold. */
export function createLedger(
  storeBytes: () => number,
  post: (bytes: number) => void,
  account: Account = createAccount(),
): Ledger {
  const { members, entries } = account;
  const own: Member = { storeBytes, post, told: signal(''), posted: 0 };
  members.add(own);
  const total = () => [...entries].reduce((sum, { bytes }) => sum + bytes, 0);
  const most = () => Math.max(LEAST, LIMIT - RESERVE - bytesOf(account));
  const find = (key: string) => [...entries].find((it) => it.of === own && it.key === key);
  /** Frees the least recently used entry but `except`. */
  const evict = (except: Held | null): boolean => {
    const oldest = [...entries].find((it) => it !== except && it.free && it.bytes > 0);
    if (!oldest) return false;
    entries.delete(oldest);
    oldest.free?.();
    oldest.of.told.value = `The ${oldest.noun} were removed to make room in memory.`;
    return true;
  };
  const tell = () => {
    const held = total() + bytesOf(account);
    for (const member of members) {
      const bytes = held - member.storeBytes();
      if (bytes !== member.posted) member.post(bytes);
      member.posted = bytes;
    }
  };
  return {
    told: own.told,
    set: (key, held) => {
      // An answer can come, and a worker end, after its trace: what is entered then would stay, with all that `free` refers to.
      if (!members.has(own)) return;
      const before = find(key);
      if (before) entries.delete(before);
      const entry = { ...held, key, of: own };
      entries.add(entry);
      while (total() > most() && evict(entry));
      tell();
    },
    room: (key) => {
      const inUse = [...entries].filter((it) => !it.free && !(it.of === own && it.key === key));
      return Math.max(0, most() - inUse.reduce((sum, { bytes }) => sum + bytes, 0));
    },
    giveWay: () => {
      const hasGone = evict(null);
      tell();
      return hasGone;
    },
    recount: tell,
    dispose: () => {
      members.delete(own);
      for (const it of entries) if (it.of === own) entries.delete(it);
      tell();
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
