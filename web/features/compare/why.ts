import { type ReadonlySignal, signal } from '@preact/signals';
import type { RecordRow } from '../../base/record_protocol.ts';
import type { RemoteWorker } from '../../base/remote.ts';
import type { Dispose } from '../../base/scope.ts';
import { ticks } from '../../base/ticks.ts';
import type { Pair } from '../../timeline/open_trace.ts';
import { createService, ENDED } from '../../trace/service.ts';
import type { FoundWhy, Reasoning, StepsOf } from './protocol.ts';
import type { Ends } from './records.ts';
import type { Work } from './work.ts';

/** Why two executions part, once that was asked. */
export type WhyState = Work<{ readonly found: FoundWhy }>;

/** Why the paths of two executions part. */
export interface Why {
  readonly state: ReadonlySignal<WhyState>;
  /** Looks for the reason, unless it is known or under way. */
  ask(): void;
  /** The records of steps that were wanted, by both their numbers: {@link keyOf}. */
  readonly rows: ReadonlySignal<ReadonlyMap<string, Ends>>;
  /** Gets the record of a step of A and that of a step of B. */
  want(pairs: readonly (readonly [a: number, b: number])[]): void;
  /** The same, for what is shown at once. */
  records(a: number, b: number): Promise<Ends>;
  readonly dispose: Dispose;
}

/** What a pair of steps is known by. */
export function keyOf(a: number, b: number): string {
  return `${a} ${b}`;
}

type Properties = readonly (readonly [name: string, value: string])[];

/** Why steps of two traces cannot be followed together, from the properties of both: they say that they are of two machines. */
export function unlikeMachines(...of: readonly [Properties, Properties]): string | null {
  // As `i386` of `i386, x86-64`.
  const [a, b] = of.map((all) => all.find(([name]) => name === 'Machine')?.[1].split(',')[0]);
  if (!a || !b || a === b) return null;
  return `The instructions of A are of ${a}, and those of B of ${b}: no two of them are the same.`;
}

/** Nothing was asked yet. `spawn` starts the worker with the first question; it ends with the answer. */
export function createWhy({ a, b }: Pick<Pair, 'a' | 'b'>, spawn: () => RemoteWorker): Why {
  const state = signal<WhyState>({ at: 'waiting' });
  const rows = signal<ReadonlyMap<string, Ends>>(new Map());
  const asked = new Set<string>();
  let isOver = false;
  const fail = (sentence: string) => {
    if (!isOver) state.value = { at: 'failed', sentence };
  };
  const service = createService<Reasoning>(spawn, () => fail('The search has ended. Ask again.'));
  const stepsOf = async ({ trace }: Pair['a']): Promise<StepsOf | null> => {
    const file = await trace.recordSource.file();
    const index = await trace.recordSource.index();
    return file && index && { file, index };
  };
  const find = async () => {
    const hear = (share: number) => {
      if (state.peek().at === 'working' && !isOver) state.value = { at: 'working', share };
    };
    try {
      const [first, second] = await Promise.all([stepsOf(a), stepsOf(b)]);
      if (!first || !second) return fail('The steps of these traces cannot be read.');
      if (isOver) return;
      const properties = ({ trace }: Pair['a']) => trace.info.peek()?.properties ?? [];
      const refused = unlikeMachines(properties(a), properties(b));
      if (refused) return fail(refused);
      const format = a.trace.info.peek()?.format ?? '';
      const found = await service.remote().why(format, first, second, hear);
      service.end();
      if (!isOver) state.value = { at: 'done', found };
    } catch (thrown) {
      if (thrown !== ENDED) fail(String(thrown));
    }
  };
  const records = (x: number, y: number): Promise<Ends> => {
    const row = ({ trace }: Pair['a'], at: number): Promise<RecordRow | null> =>
      at < 0 ? Promise.resolve(null) : trace.records.recordAt(ticks(BigInt(at)), null);
    return Promise.all([row(a, x), row(b, y)]);
  };
  const want = async (pairs: readonly (readonly [number, number])[]) => {
    const missing = pairs.filter(([x, y]) => !asked.has(keyOf(x, y)));
    if (missing.length === 0) return;
    for (const [x, y] of missing) asked.add(keyOf(x, y));
    // Together: each arrival draws the table.
    const found = await Promise.all(missing.map(async ([x, y]) => [keyOf(x, y), await records(x, y)] as const));
    if (!isOver) rows.value = new Map([...rows.peek(), ...found]);
  };
  return {
    state,
    rows,
    ask: () => {
      const { at } = state.peek();
      if (at !== 'waiting' && at !== 'failed') return;
      state.value = { at: 'working', share: 0 };
      void find();
    },
    want: (pairs) => void want(pairs),
    records,
    dispose: () => {
      isOver = true;
      service.end();
    },
  };
}
