import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { formatBytes, shortened } from '../base/format.ts';
import { isRanged } from '../base/ranged.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { perTrace } from '../trace/per_trace.ts';
import { isDatabase } from '../trace/records.ts';
import type { TraceFile } from '../trace/trace.ts';
import { toPixel } from '../trace/view.ts';
import type { ChangedFile } from './file_change.ts';
import { createNews } from './news.ts';
import type { Opener } from './opener.ts';
import type { Disk, FileHandle } from './recent.ts';

/** Milliseconds between two looks at a file, and at one that has just grown. */
const LOOK_MS = 250;
const GROWING_MS = 100;
/** Milliseconds from a hint that a file has changed until it is looked at: a writer changes it many times. */
const HINT_MS = 40;
/** Bytes at the beginning of a file by which it is told from another one. Writers fill in what comes there last. */
const HEAD = 64;
/** Bytes before the end that was read by which a file that has grown is told from one that was written again. */
const TAIL = 65_536;
/** Bytes. A trace of less may have been opened before all of its head was there. */
const LEAST = 4096;

/** What has become of a file since it was last looked at. */
export type Became =
  /** It has more bytes, or as many, and those that were there. */
  | 'grown'
  /** Its first bytes are others, and the rest is as it was: its writer has filled them in. */
  | 'completed'
  | 'rewritten'
  | 'shrunk'
  /** It is another file, with fewer bytes: its writer has begun a new one. */
  | 'rotated'
  | 'replaced';

/** The part of `FileSystemObserver` that is used. The DOM types lack it, and most browsers, too. */
interface Observer {
  observe(handle: FileHandle): Promise<void>;
  disconnect(): void;
}

/** A file, and what it is compared by. */
interface Seen {
  readonly file: File;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/** What has become of a file, as the end of a sentence. */
const ENDS = {
  rewritten: 'was written again from the start',
  rotated: 'was rotated: its writer has begun a new file',
  replaced: 'was replaced by another file',
};

/** Looks at a file. Rejects if it cannot be read, as when it has changed again. */
export async function lookAt(file: File): Promise<Seen> {
  const [head, tail] = await Promise.all([file.slice(0, HEAD).arrayBuffer(), tailOf(file, file.size)]);
  return { file, head: new Uint8Array(head), tail };
}

async function tailOf(file: File, end: number): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(Math.max(Math.min(HEAD, end), end - TAIL), end).arrayBuffer());
}

/** What has become of a file that was `before`. Rejects if it cannot be read. */
export async function becameOf(before: Seen, now: File): Promise<Became> {
  const length = before.head.length;
  const [head, tail] = await Promise.all([now.slice(0, length).arrayBuffer(), tailOf(now, before.file.size)]);
  const isHead = isSame(before.head, new Uint8Array(head));
  if (now.size < before.file.size) return isHead ? 'shrunk' : 'rotated';
  if (isSame(before.tail, tail)) return isHead ? 'grown' : 'completed';
  return isHead ? 'rewritten' : 'replaced';
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** A trace that is followed, for the page. */
export interface Following {
  /** Whether the view stays at the end of the trace. */
  readonly atEnd: Signal<boolean>;
  /** Events that panels do not show: they came later than the panels asked. */
  readonly news: ReadonlySignal<number>;
  /** Ends it. What was read stays. */
  stop(): void;
}

/** How an open trace is followed. */
export const followingOf = perTrace(({ trace, timeline }: OpenTrace) => {
  const scope = createScope();
  const atEnd = signal(false);
  let shown: unknown = null;
  scope.add(
    watch([atEnd, trace.progress, trace.follows], () => {
      const [extent, view] = [trace.progress.peek().extent, timeline.view.peek()];
      if (!atEnd.peek() || !extent || !view) return;
      // The user has moved the view, to look at something else.
      if (shown !== null && shown !== view) {
        atEnd.value = false;
        shown = null;
        return;
      }
      const by = toPixel(view, extent.to) - timeline.size.peek().width * END;
      if (Math.abs(by) >= 1) timeline.pan(by);
      shown = timeline.view.peek();
    }),
  );
  scope.add(
    watch([atEnd], () => {
      if (!atEnd.peek()) shown = null;
    }),
  );
  const news = createNews(trace);
  scope.add(news.dispose);
  return { atEnd, news: news.count, stop: () => trace.grow(null), dispose: scope.dispose };
});

/** Where the end of a trace is in the view, of its width. */
const END = 0.95;

/** Looks at a file that is missing before the page says so: a log that is rotated is missing for a moment. */
const MISSES = 8;

/** Has `hear` called when a file changes, where the browser tells. Returns what ends it. */
function observe(handle: FileHandle | null, hear: () => void): Dispose {
  const { FileSystemObserver } = globalThis as { FileSystemObserver?: new (hear: () => void) => Observer };
  if (!FileSystemObserver || !handle) return () => undefined;
  const observer = new FileSystemObserver(hear);
  // Without hints, it is looked at now and then anyway.
  observer.observe(handle).catch(() => undefined);
  return () => observer.disconnect();
}

/**
 * Looks at the file of a trace that is followed, and has what is new read. `disk` has files as they are now, `tell` hears why that ends.
 * Returns what ends it.
 */
export function follow(
  open: OpenTrace,
  { again, handleOf }: Disk,
  tell: (change: ChangedFile) => void,
  opener: Opener,
): Dispose {
  const { trace } = open;
  const name = shortened(trace.name, 100);
  let seen: Seen | null = null;
  // At once, as it may change soon.
  const first = lookAt(open.file as File).catch(() => null);
  let now = open.file as File;
  let companions = trace.companions.peek();
  let misses = 0;
  let isOver = false;
  let isLooking = false;
  /** The file is growing. */
  let soon = false;
  /** A change of a database waits until its files stay as they are. */
  let isUnsettled = false;
  const reopen = async (file: File) => {
    isOver = await openGrown(open, { file, companions }, opener);
  };
  const end = (sentence: string, canRead: boolean) => {
    isOver = true;
    trace.grow(null);
    tell({ sentence: `${name} ${sentence}. It is no longer followed. What was read before is kept.`, canRead });
  };
  /** The file as it is now; null if that is not known. */
  const fileNow = async () => {
    try {
      const found = await again(now);
      misses = 0;
      return found;
    } catch {
      misses += 1;
      if (misses >= MISSES && !isOver) end('was moved or deleted', false);
      return null;
    }
  };
  /** Reads the write-ahead log of a database as it is now. Returns whether that has changed. */
  const logHasChanged = async () => {
    const log = companions.find(({ kind }) => kind === 'wal');
    const file = log && (await again(log.file).catch(() => null));
    if (!file || isUnchanged(log.file as File, file)) return false;
    companions = companions.map((it) => (it === log ? { ...it, file } : it));
    return true;
  };
  const lookAtDatabase = async (found: File) => {
    const isChanged = !isUnchanged(now, found);
    now = found;
    const isLogChanged = await logHasChanged();
    if (isChanged || isLogChanged) isUnsettled = true;
    else if (isUnsettled && trace.status.peek().at !== 'loading') {
      await reopen(found);
      isUnsettled = !isOver;
    }
  };
  const lookAtStream = async (found: File) => {
    seen ??= await first;
    if (isUnchanged(now, found)) return;
    // What was opened is not to be had any more if it has changed before the first look. Its size is known.
    const isLess = !seen && found.size < now.size;
    const became = isLess ? 'shrunk' : seen ? await becameOf(seen, found) : 'grown';
    if (became === 'grown') {
      trace.grow(found);
      soon = true;
      seen = await lookAt(found);
    } else if (became === 'completed') {
      await reopen(found);
      if (isOver) opener.tell(`The beginning of ${name} was filled in, so it was read again.`);
    } else end(became === 'shrunk' ? `has shrunk by ${formatBytes(now.size - found.size)}` : ENDS[became], true);
    now = found;
  };
  const look = async () => {
    const status = trace.status.peek();
    const info = trace.info.peek();
    if (status.at === 'choosing' || (status.at === 'loading' && !info)) return;
    const isRows = info !== null && isDatabase(info);
    if (status.at === 'ready' && !isRows && status.how === 'complete' && trace.follows.peek()) {
      trace.follows.value = false;
      opener.warn(`${name} cannot be followed, because it is in a compressed file or an archive.`);
    }
    if (!trace.follows.peek() || (status.at === 'ready' && status.how === 'cancelled')) {
      trace.follows.value = false;
      isOver = true;
      return;
    }
    const found = await fileNow();
    if (isOver || !found) return;
    if (isRows) await lookAtDatabase(found);
    else if (status.at === 'failed' || (status.at === 'ready' && open.file.size < LEAST)) {
      // What it is may not have been there yet.
      const isChanged = !isUnchanged(now, found);
      now = found;
      if (isChanged) await reopen(found);
    } else await lookAtStream(found);
  };
  let timer: ReturnType<typeof setTimeout>;
  let isHinted = false;
  const next = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(lookNow, ms);
  };
  const lookNow = async () => {
    isLooking = true;
    isHinted = soon = false;
    // A file that changes while it is looked at is looked at again.
    await look().catch(() => undefined);
    isLooking = false;
    if (isOver) stop();
    else next(isHinted ? HINT_MS : soon ? GROWING_MS : LOOK_MS);
  };
  next(LOOK_MS);
  const unobserve = observe(handleOf(now), () => {
    if (!isHinted && !isLooking && !isOver) next(HINT_MS);
    isHinted = true;
  });
  const stop = () => {
    isOver = true;
    clearTimeout(timer);
    unobserve();
  };
  return stop;
}

/** Whether nothing says that a file has changed. */
function isUnchanged(before: File, now: File): boolean {
  const tagOf = (file: File) => (isRanged(file) ? file.ranges.tag : null);
  return before.size === now.size && before.lastModified === now.lastModified && tagOf(before) === tagOf(now);
}

/** Opens the trace of a file as it is now in place of one that is open, with the same view. Returns false if it cannot be read now. */
async function openGrown(
  open: OpenTrace,
  how: Pick<TraceFile, 'file' | 'companions'>,
  opener: Opener,
): Promise<boolean> {
  const { name, lifted, nested } = open.trace;
  const next = { ...how, name, lifted, nested, follow: true };
  const pair = opener.pair.peek();
  if (pair) {
    pair.replace(open, next);
    return true;
  }
  const fresh = opener.make(next);
  const isReady = await new Promise<boolean>((resolve) => {
    const scope = createScope();
    scope.add(
      watch([fresh.trace.status], () => {
        const { at } = fresh.trace.status.peek();
        if (at === 'loading' || at === 'choosing') return;
        resolve(at === 'ready');
        queueMicrotask(scope.dispose);
      }),
    );
  });
  const isShown = opener.inFront() === open && opener.isOpen(open);
  // A failure is shown, too, unless there was something before.
  if (!isShown || (!isReady && open.trace.status.peek().at !== 'failed')) {
    opener.end(fresh);
    return !isShown;
  }
  const parts = open.memory.parts.peek() ?? {};
  if (parts.notes !== undefined) fresh.memory.put('notes', parts.notes);
  fresh.statistics.range.value = open.statistics.range.peek();
  fresh.statistics.whose.value = open.statistics.whose.peek();
  fresh.selection.selected.value = open.selection.selected.peek();
  const view = open.timeline.isMoved() ? open.timeline.view.peek() : null;
  const { atEnd } = followingOf(open);
  opener.show(fresh);
  const scrolled = open.timeline.scrollTop.peek();
  let isPlaced = false;
  fresh.scope.add(
    watch([fresh.timeline.view], () => {
      if (isPlaced || !fresh.timeline.view.peek()) return;
      isPlaced = true;
      if (view) fresh.timeline.goTo(view, 'at once');
      fresh.timeline.scrollTop.value = scrolled;
      followingOf(fresh).atEnd.value = atEnd.peek();
    }),
  );
  opener.end(open);
  return true;
}
