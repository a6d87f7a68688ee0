import { computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
// Files that workers report have their methods.
import '../base/ranged_file.ts';
import { isRanged, type Moved, type Ranges, type Told } from '../base/ranged.ts';
import type { Dispose } from '../base/scope.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';

/** What all threads have loaded of files at addresses. */
export interface Loads {
  /** The bytes that were loaded of an address, those that were loaded again included. */
  bytesOf(url: string): number;
  /** Bytes that threads keep. */
  readonly kept: ReadonlySignal<number>;
  /** Why reading waits, in a sentence; '' while it does not. */
  readonly waits: ReadonlySignal<string>;
  /** Has what waits try again. */
  goOn(): void;
  forget(): void;
  /** The trace at an address is closed: its threads have ended, and with them what they keep and wait for. */
  leave(url: string): void;
}

/** The channel of this page. Other tabs have their own. */
const CHANNEL = `unspool-loads ${Math.random()}`;

let all: Loads | null = null;

/** What this page loads of files at addresses. Lives as long as the page. */
export function loads(): Loads {
  all ??= hear(new BroadcastChannel(CHANNEL));
  return all;
}

/** An address of which ranges are read, of a file that `grows` or not. What is loaded counts from now on. */
export function rangesAt(url: string, total: number, tag: string | null, grows = false): Ranges {
  loads();
  return { url, total, tag, channel: CHANNEL, grows };
}

function hear(channel: Pick<BroadcastChannel, 'onmessage' | 'postMessage'>): Loads {
  /** The latest of each thread about each address. */
  const moved = signal<ReadonlyMap<string, Moved>>(new Map());
  channel.onmessage = ({ data }: MessageEvent<Moved>) => {
    moved.value = new Map(moved.peek()).set(`${data.by} ${data.url}`, data);
  };
  const values = () => [...moved.value.values()];
  const post = (told: Told) => channel.postMessage(told);
  return {
    bytesOf: (url) => values().reduce((sum, it) => sum + (it.url === url ? it.bytes : 0), 0),
    kept: computed(() => values().reduce((sum, { kept }) => sum + kept, 0)),
    waits: computed(() => values().find(({ waits }) => waits !== '')?.waits ?? ''),
    goOn: () => post('go on'),
    forget: () => post('forget'),
    leave: (url) => {
      moved.value = new Map([...moved.peek()].filter(([, it]) => it.url !== url));
    },
  };
}

/** Enters the blocks that threads keep in the ledger of a trace, until that is closed. Returns what ends it. */
export function accountFor({ file, trace: { ledger } }: OpenTrace): Dispose {
  const stop = effect(() => {
    const bytes = loads().kept.value;
    const held = { noun: 'parts of the file that were loaded last', bytes, free: loads().forget };
    if (bytes > 0) untracked(() => ledger.set('blocks', held));
  });
  return () => {
    stop();
    if (isRanged(file)) loads().leave(file.ranges.url);
  };
}
