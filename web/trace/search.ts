import { type ReadonlySignal, signal } from '@preact/signals';
import type { BoundExpression, FoundRecords, WrongExpression } from '../base/find_protocol.ts';
import type { JobReply } from '../base/job_protocol.ts';
import type { RecordFilter, SearchSlot, ValuesQuery } from '../base/record_protocol.ts';
import type { Dispose } from '../base/scope.ts';
import type { Trace } from './trace.ts';

/** Time without typing, in milliseconds, after which an expression is read. */
export const SETTLED_MS = 180;

/** Where a search is. Counts are of hits. */
export type SearchState =
  | { readonly at: 'idle' }
  /** It waits for the file. */
  | { readonly at: 'waiting' }
  | { readonly at: 'wrong'; readonly wrong: WrongExpression }
  /** `share` is how much has been searched, from 0 to 1; null before that is known. */
  | { readonly at: 'searching'; readonly share: number | null }
  /**
   * `beyond`: further records match, but are neither listed nor marked. `stopped`: not all records were searched. `reason` says why nothing
   * was found, as far as that is known.
   */
  | {
      readonly at: 'done';
      readonly beyond: number;
      readonly stopped: boolean;
      readonly failure: string | null;
      readonly reason?: string | undefined;
    };

/** Binds an expression to the trace. */
export type Bind = () => Promise<BoundExpression | WrongExpression | null>;

/** A search of slices, instants and records: first by the trace's worker, then by a pass over the records if they are needed. */
export interface Search {
  readonly state: ReadonlySignal<SearchState>;
  /** The id of the job that holds the hits, or -1. */
  readonly job: ReadonlySignal<number>;
  readonly count: ReadonlySignal<number>;
  /** Ids of the names of hits. */
  readonly names: ReadonlySignal<ReadonlySet<number>>;
  /** Counts what was added to the hits of the job. */
  readonly added: ReadonlySignal<number>;
  /** Searches again. While the file is being read it waits, and `resume` goes on. */
  begin(bind: Bind): void;
  resume(): void;
  /** Ends the search and keeps what it has found. */
  stop(): void;
  /** Forgets the search. */
  forget(): void;
}

/** Gets the hits themselves: what the expression of a new search is about, or null without one, and then records as they are found. */
export interface Taker {
  begin(abouts: Uint8Array | null): void;
  add(found: Pick<FoundRecords, 'x' | 'track' | 'branches'>): void;
}

/** What a search needs of a trace. */
export type SearchedTrace = Pick<Trace, 'begin' | 'dropHits' | 'status'> & {
  readonly records: Pick<Trace['records'], 'search' | 'stopSearch'>;
};

/** No search yet. A newer search of a slot takes the place of the older one. `grown` is called after hits have come. */
export function createSearch(
  trace: SearchedTrace,
  slot: SearchSlot,
  grown: () => void = () => undefined,
  taker: Taker | null = null,
): Search {
  const state = signal<SearchState>({ at: 'idle' });
  const job = signal(-1);
  const count = signal(0);
  const names = signal<ReadonlySet<number>>(new Set());
  const added = signal(0);
  let cancel: Dispose = () => undefined;
  let waiting: Bind | null = null;

  const forget = () => {
    cancel();
    cancel = () => undefined;
    waiting = null;
    trace.records.stopSearch(slot);
    if (job.peek() >= 0) void trace.dropHits(job.peek());
    job.value = -1;
    count.value = 0;
    names.value = new Set();
    state.value = { at: 'idle' };
    taker?.begin(null);
  };
  const done = (beyond = 0, stopped = false, failure: string | null = null, reason?: string) => {
    state.value = { at: 'done', beyond, stopped, failure, reason };
  };
  const grow = (found: number, named: Uint32Array) => {
    if (found === count.peek() && added.peek() > 0) return;
    count.value = found;
    names.value = new Set(named);
    added.value += 1;
    grown();
  };
  /** Has the records searched, whose worker adds what is found to the hits of the job. */
  const searchRecords = async (id: number, what: RecordFilter | ValuesQuery) => {
    state.value = { at: 'searching', share: 0 };
    let listed = 0;
    let matching = 0;
    let reason: string | undefined;
    const isMine = () => job.peek() === id;
    const ended = await trace.records.search(slot, what, { job: id, shown: taker !== null }, (part) => {
      if (!isMine()) return;
      listed += part.listed;
      matching = part.count;
      reason = part.reason;
      if (state.peek().at === 'searching') state.value = { at: 'searching', share: part.share };
      if (part.found) taker?.add(part.found);
      if (part.hits) grow(part.hits.count, part.hits.names);
    });
    if (!isMine() || state.peek().at !== 'searching') return;
    done(matching - listed, ended === undefined, ended?.sentence ?? null, reason);
  };
  const search = ({ slices, records, values, abouts }: BoundExpression) => {
    // Slices that the expression finds by themselves have no marks of a kind.
    taker?.begin((records && abouts) || null);
    const take = (reply: JobReply<'find'>) => {
      if (reply.t === 'job-progress') {
        const { done: visited, of } = reply.progress;
        state.value = { at: 'searching', share: of > 0 ? visited / of : 0 };
        return;
      }
      if (reply.t === 'job-failed') {
        done(0, true, reply.error.sentence);
        return;
      }
      if (!reply.last) return;
      const part = reply.part;
      job.value = reply.id;
      added.value = 0;
      grow(part.count, part.names);
      if (values !== undefined) void searchRecords(reply.id, { values });
      else if (records) void searchRecords(reply.id, { query: records, begins: [] });
      else done();
    };
    cancel = trace.begin({ kind: 'find', slices }, take, slot);
  };
  const begin = (bind: Bind) => {
    forget();
    if (trace.status.peek().at === 'loading') {
      waiting = bind;
      state.value = { at: 'waiting' };
      return;
    }
    state.value = { at: 'searching', share: null };
    let isNewest = true;
    cancel = () => {
      isNewest = false;
    };
    void bind().then((bound) => {
      if (!isNewest || !bound) return;
      if ('slices' in bound) search(bound);
      else state.value = { at: 'wrong', wrong: bound };
    });
  };
  return {
    state,
    job,
    count,
    names,
    added,
    begin,
    resume: () => {
      if (waiting && trace.status.peek().at !== 'loading') begin(waiting);
    },
    stop: () => {
      if (state.peek().at !== 'searching') return;
      cancel();
      trace.records.stopSearch(slot);
      done(0, true);
    },
    forget,
  };
}
