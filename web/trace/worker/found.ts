import type { Searching } from '../../base/record_protocol.ts';
import { give, type Remote } from '../../base/remote.ts';
import type { TraceService } from '../../base/trace_protocol.ts';
import type { FoundRecords } from '../../worker/wasm/unspool_records.js';

/** What the record worker asks the trace's worker. */
export type AskedTrace = Remote<Pick<TraceService, 'index' | 'modules' | 'addHits'>>;

/** Where a search brings what it finds. */
export interface Finds {
  /** Records found since the last time, how many in all, how far the search is, from 0 to 1, and why nothing was found. */
  add(found: FoundRecords, count: number, share: number, reason?: string): void;
  /** Settles when all are among the hits, and reported. */
  done(): Promise<unknown>;
}

/** Adds what is found to the hits of a job, and reports that to `take`; with `shown` what is found, too. */
export function createFinds(trace: AskedTrace, job: number, shown: boolean, take: (part: Searching) => void): Finds {
  const added: Promise<void>[] = [];
  return {
    add: (found, count, share, reason) => {
      const listed = found.x.length;
      if (listed === 0 && found.texts.length === 0)
        return take({ count, listed, share, hits: null, found: null, reason });
      const { x, track, branches } = found;
      const copy = shown ? { x: x.slice(), track: track.slice(), branches: branches.slice() } : null;
      const adding = trace.addHits(job, give(found));
      added.push(adding.then((hits) => take({ count, listed, share, hits, found: copy })));
    },
    done: () => Promise.all(added),
  };
}
