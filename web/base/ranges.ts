/*
 * Loads ranges of a file at an address. Each thread keeps the blocks that it read last, and tells the page what it loads.
 */

import { formatBytes } from './format.ts';
import { type Moved, NOT_LOADED, type Ranged, type Ranges, type Told } from './ranged.ts';

/** Bytes of a block. A record and what is read along with it is in one or two. */
const BLOCK = 128 << 10;
/** Blocks that a thread keeps. */
const KEPT = 64;
/** Blocks that are loaded at once when reads follow each other. */
const LONGEST_RUN = 8;
/** Bytes. Longer reads are those of passes, which read each byte once: nothing of them is kept. */
const LONG_READ = BLOCK * LONGEST_RUN;
/** Milliseconds before the second attempt. */
const AGAIN_MS = 300;
/** Milliseconds after which an unused connection ends: browsers have six for a host, and others wait for them. */
const IDLE_MS = 1000;
/** Minimum time between two messages to the page. */
const TELL_MS = 100;

/** What this thread does with one file. */
interface Use {
  readonly ranges: Ranges;
  /** Blocks by number, the most recently used last. */
  readonly blocks: Map<number, Uint8Array>;
  readonly channel: BroadcastChannel;
  /** Those who wait to go on. */
  readonly waiting: Set<() => void>;
  /** Each ends a connection that is not read from at the moment. */
  readonly idle: Set<() => void>;
  /** Asked for ahead of its use. */
  early: Flow | null;
  bytes: number;
  waits: string;
  told: ReturnType<typeof setTimeout> | null;
  /** The block after the last one that was loaded, and how many were. */
  expected: number;
  run: number;
}

const uses = new Map<string, Use>();
let isGivenUp = false;
/** Tells this thread from others. */
const BY = `${Math.random()}`;

function useOf(ranges: Ranges): Use {
  const key = `${ranges.channel} ${ranges.tag} ${ranges.url}`;
  const known = uses.get(key);
  if (known) return known;
  const channel = new BroadcastChannel(ranges.channel);
  const waiting = new Set<() => void>();
  const use: Use = {
    ranges,
    blocks: new Map(),
    channel,
    waiting,
    idle: new Set(),
    early: null,
    bytes: 0,
    waits: '',
    told: null,
    expected: -1,
    run: 1,
  };
  channel.onmessage = ({ data }: MessageEvent<Told | Moved>) => {
    if (data === 'forget') {
      use.blocks.clear();
      tell(use);
    } else if (data === 'go on') {
      use.waits = '';
      const all = [...waiting];
      waiting.clear();
      for (const go of all) go();
      tell(use);
    }
  };
  uses.set(key, use);
  return use;
}

function tell(use: Use): void {
  use.told ??= setTimeout(() => {
    use.told = null;
    const { ranges, bytes, blocks, waits, channel } = use;
    channel.postMessage({ url: ranges.url, by: BY, bytes, kept: blocks.size * BLOCK, waits } satisfies Moved);
  }, TELL_MS);
}

function count(use: Use, bytes: number): void {
  use.bytes += bytes;
  // It answers again.
  if (bytes > 0 && use.waiting.size === 0) use.waits = '';
  tell(use);
}

/** The headers of a request. `to` is exclusive. */
function headersOf({ url, tag }: Ranges, from: number, to: number): readonly (readonly [string, string])[] {
  const range = ['Range', `bytes=${from}-${to - 1}`] as const;
  // Other origins would have to allow a header of this name.
  const isOwn = new URL(url).origin === globalThis.origin;
  return tag !== null && isOwn ? [range, ['If-Range', tag]] : [range];
}

/** Why an answer is not the range that was asked for, as a sentence; '' if it is. null if it may be so another time. */
function refusal(ranges: Ranges, status: number, header: (name: string) => string | null): string | null {
  const host = hostOf(ranges);
  if (status === 404 || status === 410) return `The file is no longer at ${host}: it was moved, replaced or deleted.`;
  const total = /\/(\d+)$/.exec(header('content-range') ?? '')?.[1];
  const isOther =
    (total !== undefined && (ranges.grows ? Number(total) < ranges.total : Number(total) !== ranges.total)) ||
    (ranges.tag !== null && (header('etag') ?? ranges.tag) !== ranges.tag);
  if (status === 200 || status === 416 || (status === 206 && isOther)) {
    return `The file at ${host} has changed since it was opened. Reload the page to read it as it is now.`;
  }
  if (status === 206) return '';
  return status === 401 || status === 403 ? `${host} does not give the file any more (status ${status}).` : null;
}

function hostOf({ url }: Ranges): string {
  return new URL(url).host;
}

function silence(ranges: Ranges): DOMException {
  return new DOMException(`${hostOf(ranges)} does not answer any more.`, NOT_LOADED);
}

/** The answer with a range; null if the host may have it later. Rejects with a `DOMException` of the name {@link NOT_LOADED} if not. */
async function ask(ranges: Ranges, from: number, to: number, signal: AbortSignal | null): Promise<Response | null> {
  let response: Response;
  try {
    const headers = headersOf(ranges, from, to).map(([name, value]): [string, string] => [name, value]);
    response = await fetch(ranges.url, { headers, cache: 'no-store', signal });
  } catch {
    signal?.throwIfAborted();
    return null;
  }
  const why = refusal(ranges, response.status, (name) => response.headers.get(name));
  if (why === '') return response;
  void response.body?.cancel().catch(() => undefined);
  if (why === null) return null;
  throw new DOMException(why, NOT_LOADED);
}

/** A part of a file, from the blocks that are kept if they have it. Rejects with a `DOMException` of the name {@link NOT_LOADED}. */
export async function loadPart({ ranges, from, size }: Ranged): Promise<ArrayBuffer> {
  const use = useOf(ranges);
  const kept = keptPart(use, from, from + size);
  if (kept) return kept.slice().buffer;
  for (const isLast of [false, true]) {
    const response = await ask(ranges, from, from + size, null);
    const buffer = await response?.arrayBuffer().catch(() => null);
    count(use, buffer?.byteLength ?? 0);
    if (buffer?.byteLength === size) return buffer;
    if (!isLast) await delay(AGAIN_MS);
  }
  throw silence(ranges);
}

/** The bytes if they are in blocks that are kept. */
function keptPart({ blocks }: Use, from: number, to: number): Uint8Array<ArrayBuffer> | null {
  const [first, last] = [Math.floor(from / BLOCK), Math.floor((to - 1) / BLOCK)];
  if (to - from > LONG_READ) return null;
  const bytes = new Uint8Array(to - from);
  for (let number = first; number <= last; number += 1) {
    const block = blocks.get(number);
    const at = number * BLOCK;
    if (!block || block.length < Math.min(to - at, BLOCK)) return null;
    bytes.set(block.subarray(Math.max(0, from - at), to - at), Math.max(0, at - from));
  }
  return bytes;
}

/** A part of a file while the caller waits: in a worker. Throws a `DOMException` of the name {@link NOT_LOADED}. */
export function readPart({ ranges, from, size }: Ranged): ArrayBuffer {
  if (size === 0) return new ArrayBuffer(0);
  const use = useOf(ranges);
  const to = from + size;
  if (size > LONG_READ) return request(use, from, to);
  const known = keptPart(use, from, to);
  if (known) return known.buffer;
  const first = Math.floor(from / BLOCK);
  const count = Math.ceil(to / BLOCK) - first;
  // A read that starts where the last one ended is one of a scan.
  const follows = first === use.expected || first + 1 === use.expected;
  use.run = follows ? Math.min(2 * use.run, LONGEST_RUN) : 1;
  const blocks = Math.max(count, use.run);
  const begin = first * BLOCK;
  const bytes = new Uint8Array(request(use, begin, Math.min(ranges.total, begin + blocks * BLOCK)));
  use.expected = first + blocks;
  for (let i = 0; i * BLOCK < bytes.length; i += 1) {
    use.blocks.delete(first + i);
    // A copy, so that a block that is kept does not keep the others.
    use.blocks.set(first + i, bytes.slice(i * BLOCK, (i + 1) * BLOCK));
  }
  for (const old of use.blocks.keys()) {
    if (use.blocks.size <= KEPT) break;
    use.blocks.delete(old);
  }
  return bytes.slice(from - begin, to - begin).buffer;
}

function request(use: Use, from: number, to: number): ArrayBuffer {
  const { ranges } = use;
  // No timer ends them while this waits.
  for (const leave of use.idle) leave();
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const asked = new XMLHttpRequest();
    asked.open('GET', ranges.url, false);
    asked.responseType = 'arraybuffer';
    for (const [name, value] of headersOf(ranges, from, to)) asked.setRequestHeader(name, value);
    try {
      asked.send();
    } catch {
      continue;
    }
    const why = refusal(ranges, asked.status, (name) => asked.getResponseHeader(name));
    if (why) throw new DOMException(why, NOT_LOADED);
    const bytes = asked.response as ArrayBuffer | null;
    count(use, bytes?.byteLength ?? 0);
    if (why === '' && bytes?.byteLength === to - from) return bytes;
  }
  // Nothing waits, but the user has to hear the reason: wasm modules know only that the file cannot be read.
  use.waits = silence(ranges).message;
  tell(use);
  throw silence(ranges);
}

/** Bytes that follow each other, in one answer for as long as that lasts. */
export interface Flow {
  /**
   * The next bytes, `length` of them, or fewer at the end of the file. If the host does not answer, not even a second time, the page hears
   * of it, and this waits until it says to go on; `eager` returns what has arrived before. Rejects with a `DOMException` if the file is not to be had any more, or once it is closed.
   */
  next(length: number, eager?: boolean): Promise<Uint8Array<ArrayBuffer>>;
  /** Asks for what {@link next} is going to return. */
  ask(): void;
  close(): void;
}

/** Asks for a file ahead of {@link openFlow}, which then has its first bytes sooner by a round trip. */
export function askAhead(file: Ranged): void {
  const use = useOf(file.ranges);
  const flow = openFlow(file, 0);
  flow.ask();
  use.early?.close();
  use.early = flow;
  // Databases are not read from the beginning on.
  setTimeout(() => {
    if (use.early !== flow) return;
    use.early = null;
    flow.close();
  }, IDLE_MS);
}

/** Loads a file from the offset `at` on. */
export function openFlow(file: Ranged, at: number): Flow {
  const { ranges, from, size } = file;
  const use = useOf(ranges);
  const { early } = use;
  if (early && from + at === 0) {
    use.early = null;
    return early;
  }
  const stop = new AbortController();
  const end = from + size;
  let position = from + at;
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  let rest = new Uint8Array(0);
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const leave = () => {
    clearTimeout(timer);
    use.idle.delete(leave);
    void reader?.cancel().catch(() => undefined);
    reader = null;
  };
  let asking: Promise<Response | null> | null = null;
  const begin = () => {
    asking ??= ask(ranges, position, end, stop.signal);
    return asking;
  };
  /** The next piece. null if the answer broke off. */
  const piece = async (): Promise<Uint8Array | null> => {
    if (!reader) {
      const answer = begin();
      await answer.catch(() => undefined);
      asking = null;
      reader = (await answer)?.body?.getReader() ?? null;
    }
    try {
      const value = (await reader?.read())?.value ?? null;
      if (!value) reader = null;
      return value;
    } catch {
      reader = null;
      return null;
    }
  };
  const recover = async () => {
    stop.signal.throwIfAborted();
    failures += 1;
    if (failures === 1) return delay(AGAIN_MS);
    use.waits = `${hostOf(ranges)} does not answer any more. ${formatBytes(position - from)} of ${formatBytes(size)} were read.`;
    tell(use);
    const closed = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
    await Promise.race([new Promise<void>((resolve) => use.waiting.add(resolve)), closed]);
    failures = 0;
    stop.signal.throwIfAborted();
    if (isGivenUp) throw new DOMException('The user has stopped it.', 'AbortError');
  };
  return {
    ask: () => void begin().catch(() => undefined),
    next: async (length, eager = false) => {
      clearTimeout(timer);
      use.idle.delete(leave);
      const bytes = new Uint8Array(Math.max(0, Math.min(length, end - position + rest.length)));
      let filled = 0;
      while (filled < bytes.length) {
        if (rest.length === 0) {
          const found = await piece();
          if (!found) {
            if (eager && failures > 0 && filled > 0) return bytes.subarray(0, filled);
            await recover();
            continue;
          }
          failures = 0;
          rest = found as Uint8Array<ArrayBuffer>;
          position += found.length;
          count(use, found.length);
        }
        const part = rest.subarray(0, bytes.length - filled);
        bytes.set(part, filled);
        filled += part.length;
        rest = rest.subarray(part.length);
      }
      if (reader) {
        use.idle.add(leave);
        timer = setTimeout(leave, IDLE_MS);
      }
      return bytes;
    },
    close: () => {
      stop.abort();
      leave();
      rest = new Uint8Array(0);
    },
  };
}

/** Ends what waits in this thread for a host to answer. */
export function giveUp(): void {
  isGivenUp = true;
  for (const use of uses.values()) {
    use.waits = '';
    tell(use);
    for (const end of use.waiting) end();
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
