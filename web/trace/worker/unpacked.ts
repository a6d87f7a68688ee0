import type { TraceError } from '../../base/protocol.ts';
import type { Unpacker } from '../../worker/wasm/unspool_unpack.js';
import { createYielder, type Input } from './reading.ts';
import { openSource, type Source } from './source.ts';
import type { Spool } from './spool.ts';

/** Compressed bytes per read. */
const PORTION = 1024 * 1024;
/** Length of a turn; afterwards the worker handles waiting messages. */
const TURN_MS = 10;

/** What is called while a file is being unpacked as a whole. */
export interface Watch {
  cancelled(): boolean;
  /** Called after each turn. */
  report(unpacked: Unpacked): void;
}

/** The part of the unpacker that is used. Tests substitute their own. */
export type Unpacks = Pick<Unpacker, 'push' | 'end' | 'unpack' | 'isOver' | 'isLimited' | 'fault' | 'faultAt'>;

/** The content of a compressed file, unpacked while it is read, and kept in a spool for reading it again. */
export interface Unpacked extends Input {
  /** Bytes of the container that were read, and its size. */
  readonly packedRead: number;
  readonly packedSize: number;
  /** Bytes unpacked. */
  readonly position: number;
  /** Whether all is unpacked that can be. */
  readonly isOver: boolean;
  /** What is wrong with the container, once it is over. */
  readonly fault: TraceError | null;
  readonly spool: Spool;
  /** Unpacks until there are `length` bytes, and returns the first ones; fewer only if there are no more. */
  head(length: number): Promise<Uint8Array>;
  /** Unpacks the rest, as far as the spool has room for it. Returns false if that was cancelled. */
  rest(watch: Watch): Promise<boolean>;
  close(): void;
}

/** The content of `file`. The unpacker and the spool are new. */
export function openUnpacked(file: Blob, unpacker: Unpacks, spool: Spool): Unpacked {
  const packed = openSource(file, 0);
  let position = 0;
  let over = false;
  let fault: TraceError | null = null;

  const stop = (kind: 'malformed' | 'limit', sentence: string, offset: bigint | null) => {
    over = true;
    fault ??= { kind, sentence, offset };
  };
  /** The next piece, which is valid until the next call of the unpacker. null at the end. */
  const next = async (): Promise<Uint8Array | null> => {
    while (!over) {
      const piece = attempt(() => unpacker.unpack());
      if (piece && piece.length > 0) {
        position += piece.length;
        await spool.append(piece);
        return piece;
      }
      if (over) break;
      if (unpacker.isOver) {
        const sentence = unpacker.fault();
        over = true;
        if (sentence === undefined) break;
        stop(unpacker.isLimited ? 'limit' : 'malformed', sentence, unpacker.faultAt() ?? null);
        break;
      }
      const portion = await packed.take(PORTION);
      if (portion) attempt(() => unpacker.push(portion));
      else unpacker.end();
      packed.prefetch(PORTION);
    }
    return null;
  };
  /** A trap of the module ends the unpacking, and nothing else. */
  const attempt = <T>(run: () => T): T | undefined => {
    try {
      return run();
    } catch {
      stop('malformed', 'The container cannot be unpacked any further.', BigInt(packed.position));
      return undefined;
    }
  };
  const source = (from: number): Source => {
    let at = from;
    return {
      get position() {
        return at;
      },
      prefetch: () => packed.prefetch(PORTION),
      take: async (most) => {
        const ready = Math.min(position, spool.size) - at;
        const bytes = ready > 0 ? await spool.read(at, at + Math.min(ready, most)) : await next();
        at += bytes?.length ?? 0;
        return bytes;
      },
      close: () => undefined,
    };
  };
  const unpacked: Unpacked = {
    size: null,
    open: source,
    readAt: (at, length) => spool.read(at, at + length),
    get packedRead() {
      return packed.position;
    },
    packedSize: file.size,
    get position() {
      return position;
    },
    get isOver() {
      return over;
    },
    get fault() {
      return fault;
    },
    spool,
    head: async (length) => {
      while (position < length && (await next()));
      return spool.read(0, length);
    },
    rest: async (watch) => {
      const yielder = createYielder();
      let turn = performance.now();
      try {
        while (await next()) {
          // What cannot be kept is of no use here.
          if (!spool.whole) break;
          if (performance.now() - turn <= TURN_MS) continue;
          watch.report(unpacked);
          await yielder.turn();
          if (watch.cancelled()) return false;
          turn = performance.now();
        }
        return true;
      } finally {
        yielder.close();
      }
    },
    close: () => packed.close(),
  };
  return unpacked;
}
