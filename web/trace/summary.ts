import { type ReadonlySignal, signal } from '@preact/signals';
import { createScope, type Dispose } from '../base/scope.ts';
import type { StandingFinding, StandingNews } from '../base/summary_protocol.ts';
import { watch } from '../base/watch.ts';
import type { FileMemory } from './file_memory.ts';
import type { Trace } from './trace.ts';

/** Kinds that can be hidden for a file: more than there are. */
const MOST_KINDS = 100;

/** What looks for what stands out in a trace that is read. */
export interface SummarySource {
  /** Begins to look, and reports until the end. What it returns stops that. `fail` says that it cannot go on. */
  look(report: (news: StandingNews) => void, fail: () => void): Dispose;
}

/** What stands out in a trace. */
export interface Summary {
  /** What was found, without the kinds that are hidden; null until all of the trace was looked at. The greatest first. */
  readonly listed: ReadonlySignal<readonly StandingFinding[] | null>;
  /** How much of the trace was looked at, from 0 to 1; null once the search has ended, or if nothing looks for anything. */
  readonly share: ReadonlySignal<number | null>;
  /** The titles of the kinds that were found and are hidden. */
  readonly hidden: ReadonlySignal<readonly string[]>;
  /** Lists findings of this kind in this file no more. */
  hide(kind: string): void;
  /** Lists all kinds again. */
  showAll(): void;
  readonly dispose: Dispose;
}

/**
 * What stands out in a trace. It is looked for once the trace is read, and again when names have changed, which are in the sentences, with
 * what `load` loads; null if nothing looks for anything. Kinds that are hidden are remembered of the file.
 */
export function createSummary(
  { status, recordSource, names }: Pick<Trace, 'status' | 'recordSource' | 'names'>,
  memory: Pick<FileMemory, 'parts' | 'put'>,
  load: () => Promise<SummarySource | null>,
): Summary {
  const listed = signal<readonly StandingFinding[] | null>(null);
  const share = signal<number | null>(0);
  const hidden = signal<readonly string[]>([]);
  let kinds: ReadonlySet<string> = new Set();
  let all: readonly StandingFinding[] | null = null;
  const scope = createScope();

  const list = () => {
    if (!all) return;
    listed.value = all.filter(({ kind }) => !kinds.has(kind));
    hidden.value = [...new Set(all.filter(({ kind }) => kinds.has(kind)).map(({ title }) => title))];
  };
  const remember = () => {
    memory.put('findings', kinds.size > 0 ? [...kinds] : undefined);
    list();
  };
  const read = () => {
    const part = memory.parts.peek()?.findings;
    const words = Array.isArray(part) ? part.filter((it) => typeof it === 'string') : [];
    kinds = new Set(words.slice(0, MOST_KINDS));
    list();
  };
  /** Enters the memory of the search in the account. It is in use until the end. */
  const enter = (bytes: number) => recordSource.ledger?.set('summary', { noun: 'searches', bytes, free: null });
  let stop: Dispose | null = null;
  let newest = 0;
  const look = async () => {
    stop?.();
    stop = null;
    newest += 1;
    const mine = newest;
    share.value = 0;
    const source = await load().catch(() => null);
    if (mine !== newest) return;
    if (!source) {
      share.value = null;
      return;
    }
    stop = source.look(
      (news) => {
        if (mine !== newest) return;
        share.value = news.isDone ? null : news.share;
        enter(news.bytes);
        if (!news.isDone) return;
        all = news.found;
        list();
      },
      () => {
        if (mine !== newest) return;
        share.value = null;
        enter(0);
      },
    );
  };
  let looked = -1;
  const begin = () => {
    const version = names.version.peek();
    if (looked === version || status.peek().at !== 'ready') return;
    looked = version;
    void look();
  };
  read();
  scope.add(watch([memory.parts], read));
  scope.add(watch([status, names.version], begin));
  scope.add(() => {
    newest += 1;
    stop?.();
  });
  return {
    listed,
    share,
    hidden,
    hide: (kind) => {
      kinds = new Set([...kinds, kind]);
      remember();
    },
    showAll: () => {
      kinds = new Set();
      remember();
    },
    dispose: scope.dispose,
  };
}
