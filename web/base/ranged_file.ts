/*
 * A file at an address, of which only the ranges are loaded that are read. It has the interface of a `File`, so that whatever reads a
 * file reads it, too. What crosses to another thread loses its methods. A thread that loads this module gives them back.
 */

import type { Ranges } from './ranged.ts';
import { reviveBy } from './remote.ts';

/** A file, or a part of one, at an address. */
export class RangedFile implements File {
  readonly type = '';
  readonly webkitRelativePath = '';

  readonly ranges: Ranges;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly lastModified: number;
  /** The offset in the whole file. */
  readonly from: number;
  /** Bytes. */
  readonly size: number;

  constructor(ranges: Ranges, name: string, lastModified: number, from = 0, size = ranges.total) {
    this.ranges = ranges;
    this.name = name;
    this.lastModified = lastModified;
    this.from = from;
    this.size = size;
  }

  slice(from = 0, to = this.size): RangedFile {
    const within = (at: number) => Math.max(0, Math.min(this.size, at < 0 ? this.size + at : at));
    const begin = within(from);
    const { ranges, name, lastModified } = this;
    return new RangedFile(ranges, name, lastModified, this.from + begin, Math.max(0, within(to) - begin));
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    if (this.size === 0) return new ArrayBuffer(0);
    const { loadPart } = await import('./ranges.ts');
    return loadPart(this);
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.arrayBuffer());
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.arrayBuffer());
  }

  /** The bytes, a portion when it is asked for. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    let at = 0;
    return new ReadableStream({
      pull: async (controller) => {
        const part = await this.slice(at, at + PORTION).bytes();
        at += part.length;
        if (part.length > 0) controller.enqueue(part);
        if (at >= this.size) controller.close();
      },
    });
  }
}

/** Bytes of a portion of a stream. */
const PORTION = 1 << 20;
/** How deep a message has files. */
const DEEPEST = 4;

/** Gives the files in a message from another thread their methods back, in place. Returns the message. */
function revive<T>(message: T, depth = DEEPEST): T {
  if (typeof message !== 'object' || message === null || ArrayBuffer.isView(message)) return message;
  if (isFile(message)) {
    const { ranges, name, lastModified, from, size } = message;
    return new RangedFile(ranges, name, lastModified, from, size) as T;
  }
  if (depth === 0) return message;
  if (Array.isArray(message)) {
    // Of numbers and texts there may be very many.
    for (let i = 0; typeof message[i] === 'object'; i += 1) message[i] = revive(message[i], depth - 1);
    return message;
  }
  if (Object.getPrototypeOf(message) !== Object.prototype) return message;
  const parts = message as Record<string, unknown>;
  for (const key in parts) {
    const part = parts[key];
    if (typeof part !== 'object' || part === null) continue;
    const revived = revive(part, depth - 1);
    if (revived !== part) parts[key] = revived;
  }
  return message;
}

function isFile(value: object): value is RangedFile {
  return 'ranges' in value && 'lastModified' in value && 'from' in value;
}

reviveBy(revive);
