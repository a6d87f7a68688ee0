import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { MOST_SORTED, type WrongExpression } from '../base/find_protocol.ts';
import { formatCount } from '../base/format.ts';
import type { JobReply } from '../base/job_protocol.ts';
import type { Beginnings, RecordFilter } from '../base/record_protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { SETTLED_MS } from './search.ts';
import type { Trace } from './trace.ts';

/** The expression that narrows the list of records. */
export interface ListFilter {
  /** What the user has typed. */
  readonly text: Signal<string>;
  /** What is wrong with it; null if nothing is. */
  readonly wrong: ReadonlySignal<WrongExpression | null>;
  /** What the list is narrowed by: the newest expression that was understood. null for all records. */
  readonly filter: ReadonlySignal<RecordFilter | null>;
  readonly dispose: Dispose;
}

/** No filter yet. */
export function createListFilter(
  trace: Pick<Trace, 'bindRecords' | 'begin' | 'columnsOfHits' | 'dropHits' | 'status'> & {
    readonly names: Pick<Trace['names'], 'version'>;
  },
): ListFilter {
  const scope = createScope();
  const text = signal('');
  const wrong = signal<WrongExpression | null>(null);
  const filter = signal<RecordFilter | null>(null);
  /** What the filter was made of: the expression and the version of the names. */
  let made = '';

  /** Where the slices begin that a query finds. Resolves with a sentence if they cannot be found. */
  const beginningsOf = (slices: Uint8Array, number: number, cancels: Dispose[]): Promise<Beginnings | string> =>
    new Promise((resolve) => {
      const take = (reply: JobReply<'find'>) => {
        if (reply.t === 'job-failed') resolve(reply.error.sentence);
        if (reply.t !== 'job-part' || !reply.last) return;
        const { count } = reply.part;
        const { id } = reply;
        if (count > MOST_SORTED) {
          resolve(
            `${formatCount(count)} slices have this duration, depth or flag: too many. Add a name, a thread or a start.`,
          );
          void trace.dropHits(id);
          return;
        }
        void trace.columnsOfHits(id, MOST_SORTED).then((columns) => {
          void trace.dropHits(id);
          resolve(columns ? { time: columns.time, locator: columns.locator } : 'The search was ended.');
        });
      };
      cancels.push(trace.begin({ kind: 'find', slices }, take, `filter-${number}`));
    });

  scope.add(
    effect(() => {
      const typed = text.value.trim();
      const key = `${trace.names.version.value} ${typed}`;
      if (trace.status.value.at === 'loading') return undefined;
      if (typed === '') {
        wrong.value = null;
        filter.value = null;
        made = '';
        return undefined;
      }
      if (key === made) {
        wrong.value = null;
        return undefined;
      }
      const cancels: Dispose[] = [];
      let isNewest = true;
      const make = async () => {
        const bound = await trace.bindRecords(typed);
        if (!isNewest || !bound) return;
        if ('sentence' in bound) {
          wrong.value = bound;
          return;
        }
        const begins = await Promise.all(bound.begins.map((query, i) => beginningsOf(query, i, cancels)));
        if (!isNewest) return;
        const failed = begins.find((set) => typeof set === 'string');
        wrong.value = failed === undefined ? null : { sentence: failed, at: 0, length: 0 };
        if (failed !== undefined) return;
        made = key;
        filter.value = { query: bound.query, begins: begins as Beginnings[] };
      };
      const timer = setTimeout(() => void make(), SETTLED_MS);
      return () => {
        isNewest = false;
        clearTimeout(timer);
        for (const cancel of cancels) cancel();
      };
    }),
  );
  return { text, wrong, filter, dispose: scope.dispose };
}
