import type { FileBlockService } from '../../base/file_protocol.ts';
import type { Remote } from '../../base/remote.ts';
import { openStream, readNow, type Stream } from './source.ts';

/** Bytes of a block; the last one of a file may have fewer. */
export const BLOCK = 1024 * 1024;
/** Blocks that are read ahead of a pass. */
const AHEAD = 4;
/** Bytes. A longer read is not waited for: its blocks would not be kept until the last one is there. */
export const AWAITED = 4 * BLOCK;
/** Blocks that are kept at least: those of such a read of two passes. */
const FEW = 2 * (AWAITED / BLOCK + 1);
/** Streams that are open at once: one for each place in the file where blocks are read one after the other. */
const STREAMS = 4;
/** Parts read at once that are remembered: rows of a list are read from where their pieces begin, many times from the same place. */
const PARTS = 4;
/** Milliseconds that another worker has to give a block. It may be busy, or have ended, which this one cannot notice. */
const PATIENCE_MS = 2000;

/**
 * The blocks of a file that were read last, for all passes and questions of a worker, and of others that {@link give} serves:
 * each block is read once while it is kept. With `elsewhere` they come from another worker, as long as that gives them.
 */
export class FileBlocks {
  /** The first one goes first: the least recently used, or read from the file. */
  readonly #there = new Map<number, Uint8Array>();
  /** Buffers of blocks that are kept no longer, to read others into: browsers collect buffers late, and a pass has thousands. */
  readonly #spare: ArrayBuffer[] = [];
  /** The latest first. */
  #parts: readonly { readonly from: number; readonly bytes: Uint8Array }[] = [];
  readonly #coming = new Map<number, Promise<void>>();
  /** Blocks that could not be read ahead. */
  readonly #failed = new Set<number>();
  #streams: readonly Stream[] = [];
  #file: Blob;
  #most: number;
  #keeps: boolean;
  #elsewhere: Remote<FileBlockService> | null;
  readonly size: number;

  constructor(file: Blob, mostBytes = 0, elsewhere: Remote<FileBlockService> | null = null) {
    this.#file = file;
    this.size = file.size;
    this.#most = Math.max(FEW, Math.ceil(mostBytes / BLOCK));
    this.#keeps = mostBytes > 0;
    this.#elsewhere = elsewhere;
  }

  /** Bytes that are kept at most. */
  get mostBytes(): number {
    return this.#most * BLOCK;
  }

  /** Whether more than passes need may be kept. */
  get keeps(): boolean {
    return this.#keeps;
  }

  /** Whether all of the file is kept once it was read. */
  get keepsAll(): boolean {
    return this.#keeps && this.size <= this.mostBytes;
  }

  /** Reads from another file, which has the same bytes. */
  replace(file: Blob): void {
    this.#file = file;
    for (const stream of this.#streams) stream.close();
    this.#streams = [];
    this.#failed.clear();
  }

  /** Keeps no more from now on than passes need. */
  letGo(): void {
    [this.#most, this.#keeps] = [FEW, false];
    this.#parts = [];
    this.#trim();
  }

  /** No pass goes on for now. Of a file that is not kept whole, what was read last is seldom what is asked for next. */
  rest(): void {
    if (this.keepsAll) return;
    this.#there.clear();
    this.#spare.length = 0;
    this.#parts = [];
  }

  /** A block if it is there. It stays as it is until the caller waits for something: later its memory may hold another block. */
  get(number: number): Uint8Array | undefined {
    const block = this.#there.get(number);
    // Of blocks that only pass by, those that were read go before those that a pass is still to read.
    if (block && this.#keeps) this.#keep(number, block);
    return block;
  }

  /** Reads a block at once. Throws if it cannot be read. */
  readNow(number: number): Uint8Array {
    const bytes = readNow(this.#file, number * BLOCK, (number + 1) * BLOCK);
    if (bytes.length === this.#lengthOf(number)) this.#keep(number, bytes);
    return bytes;
  }

  /** Reads a part of the file at once, or its beginning if that was read lately. Throws if it cannot be read. */
  part(from: number, to: number): Uint8Array {
    const known = this.#parts.find((part) => from >= part.from && from < part.from + part.bytes.length);
    const part = known ?? { from, bytes: readNow(this.#file, from, to) };
    this.#parts = [part, ...this.#parts.filter((other) => other !== part)].slice(0, PARTS);
    return part.bytes.subarray(from - part.from, to - part.from);
  }

  /** A pass reads none of a block again. */
  leave(number: number): void {
    if (!this.#keeps) this.#drop(number);
  }

  /** Has a pass's next blocks on their way, from this one on. */
  ahead(first: number): void {
    const end = Math.min(first + AHEAD, Math.ceil(this.size / BLOCK));
    for (let number = first; number < end; number += 1) if (!this.#there.has(number)) void this.#fetch(number);
  }

  /** Settles when these bytes are there, as far as they are on their way. null if none are. Never rejects. */
  arrival(from: number, to: number): Promise<void> | null {
    const first = Math.floor(from / BLOCK);
    this.ahead(first);
    const coming = [...this.#coming].filter(([number]) => number >= first && number * BLOCK < to);
    return coming.length === 0 ? null : Promise.all(coming.map(([, one]) => one)).then(() => undefined);
  }

  /** Whether a block cannot be waited for. */
  hasFailed(number: number): boolean {
    return this.#failed.has(number);
  }

  /** A copy of a block, once it is there; null if it cannot be read. */
  async give(number: number): Promise<Uint8Array | null> {
    if (this.#lengthOf(number) <= 0) return null;
    if (!this.#there.has(number)) await this.#fetch(number);
    return this.get(number)?.slice() ?? null;
  }

  #lengthOf(number: number): number {
    return Math.min(BLOCK, this.size - number * BLOCK);
  }

  #keep(number: number, bytes: Uint8Array): void {
    this.#there.delete(number);
    this.#there.set(number, bytes);
    this.#trim();
  }

  /** Lets blocks go until there is room for some more. */
  #trim(more = 0): void {
    for (const [oldest] of this.#there) {
      if (this.#there.size + more <= this.#most) break;
      this.#drop(oldest);
    }
  }

  #drop(number: number): void {
    const buffer = this.#there.get(number)?.buffer;
    this.#there.delete(number);
    const isFree = buffer instanceof ArrayBuffer && buffer.byteLength === BLOCK;
    if (isFree && this.#spare.length < AHEAD) this.#spare.push(buffer);
  }

  #fetch(number: number): Promise<void> {
    const known = this.#coming.get(number);
    if (known) return known;
    const length = this.#lengthOf(number);
    // What goes may be what a caller has just got. It is not written over before that one waits: reads begin after that.
    this.#trim(this.#coming.size + 1);
    const take = (bytes: Uint8Array) => {
      this.#coming.delete(number);
      if (bytes.length === length) this.#keep(number, bytes);
      else this.#failed.add(number);
    };
    const coming = this.#bytes(number, length).then(take, () => take(new Uint8Array()));
    this.#coming.set(number, coming);
    return coming;
  }

  async #bytes(number: number, length: number): Promise<Uint8Array> {
    const given = this.#elsewhere && (await this.#given(this.#elsewhere, number));
    return given ?? this.#streamAt(number * BLOCK).next(length, this.#spare.pop());
  }

  async #given(elsewhere: Remote<FileBlockService>, number: number): Promise<Uint8Array | null> {
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS));
    const given = await Promise.race([elsewhere.give(number), late]).catch(() => undefined);
    if (given === undefined) this.#elsewhere = null;
    return given ?? null;
  }

  #streamAt(at: number): Stream {
    const known = this.#streams.find(({ position }) => position === at);
    if (known) return known;
    const stream = openStream(this.#file, at);
    for (const old of this.#streams.slice(0, Math.max(0, this.#streams.length + 1 - STREAMS))) old.close();
    this.#streams = [...this.#streams, stream].slice(-STREAMS);
    return stream;
  }
}
