import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { RemoteWorker } from '../../base/remote.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { createService, ENDED } from '../../trace/service.ts';
import { type Profiled, profileOf } from './profile.ts';
import type { ComparedFlame, ComparedRows, Comparing, FlameWidth, Profile, SavedKind } from './protocol.ts';
import { createRecordDifferences, type RecordDifferences } from './records.ts';
import type { Work } from './work.ts';

/** How far the comparison of figures is. */
export type State = Work<{ readonly compared: Compared }>;

/** What differs, with the functions that rows refer to. */
export interface Compared {
  readonly rows: ComparedRows;
  readonly a: Profiled;
  readonly b: Profiled;
}

/** What is in front: the table, the flame graph, the calls of the chosen function, or the records one by one. */
export type View = 'functions' | 'flame' | 'calls' | 'records';

/** What is shown of the flame graph. */
export interface FlameChoice {
  readonly width: FlameWidth;
  /** Times of B are scaled, so that both are equally long. */
  readonly normalised: boolean;
  /** Rows from the root to the node in focus. */
  readonly path: readonly number[];
}

/** The comparison of two open traces, in their ranges, while a panel shows it. */
export interface Comparison {
  readonly state: ReadonlySignal<State>;
  readonly choice: Signal<FlameChoice>;
  readonly view: Signal<View>;
  /** null while there is none, and until the flame graph is shown. */
  readonly flame: ReadonlySignal<ComparedFlame | null>;
  /** Index of the chosen row, or -1. */
  readonly chosen: Signal<number>;
  /** What narrows rows and marks nodes: a part of the name. */
  readonly filter: Signal<string>;
  /** Whether a row matches the filter. */
  readonly holds: ReadonlySignal<(row: number) => boolean>;
  nameOf(row: number): string;
  /** The comparison as a file, which may name the files of both. */
  saved(kind: SavedKind, a: string, b: string): Promise<Uint8Array<ArrayBuffer>>;
  readonly records: RecordDifferences;
  readonly dispose: Dispose;
}

/** The traces, as far as they are compared. */
export type Side = Pick<OpenTrace, 'trace' | 'statistics'>;

/** Compares B with A. `spawn` starts the worker. */
export function createComparison(a: Side, b: Side, spawn: () => RemoteWorker): Comparison {
  const scope = createScope();
  const state = signal<State>({ at: 'waiting' });
  const flame = signal<ComparedFlame | null>(null);
  const choice = signal<FlameChoice>({ width: 'larger', normalised: false, path: [] });
  const view = signal<View>('functions');
  const chosen = signal(-1);
  const filter = signal('');
  const fail = (sentence: string) => {
    state.value = { at: 'failed', sentence };
  };
  const service = createService<Comparing>(spawn, () => fail('The comparison has ended. Show this panel again.'));
  scope.add(service.end);

  const compare = async (shares: [number, number], signal: AbortSignal) => {
    const hear = (side: 0 | 1) => (share: number) => {
      shares[side] = share;
      if (!signal.aborted) state.value = { at: 'working', share: (shares[0] + shares[1]) / 2 };
    };
    const find = (side: Side, at: 0 | 1) => profileOf(side, side.statistics.asked(), hear(at), signal);
    try {
      const [of, to] = await Promise.all([find(a, 0), find(b, 1)]);
      if (!of || !to || signal.aborted) return;
      const rows = await service.remote().compare(of.profile, to.profile);
      if (signal.aborted) return;
      chosen.value = -1;
      choice.value = { ...choice.peek(), path: [] };
      state.value = { at: 'done', compared: { rows, a: withoutPaths(of), b: withoutPaths(to) } };
    } catch (thrown) {
      if (!signal.aborted && thrown !== ENDED) fail(String(thrown));
    }
  };
  scope.add(
    effect(() => {
      for (const { trace, statistics } of [a, b]) {
        statistics.asked();
        void trace.names.version.value;
      }
      const isRead = [a, b].every(({ trace }) => trace.status.value.at === 'ready');
      flame.value = null;
      state.value = isRead ? { at: 'working', share: 0 } : { at: 'waiting' };
      if (!isRead) return undefined;
      const controller = new AbortController();
      void compare([0, 0], controller.signal);
      return () => controller.abort();
    }),
  );
  scope.add(
    effect(() => {
      const { width, normalised, path } = choice.value;
      if (state.value.at !== 'done' || view.value !== 'flame') return undefined;
      let isOver = false;
      service
        .remote()
        .flame(Uint32Array.from(path), width, normalised)
        .then(
          (found) => {
            if (!isOver) flame.value = found;
          },
          (thrown) => {
            if (!isOver && thrown !== ENDED) fail(String(thrown));
          },
        );
      return () => {
        isOver = true;
      };
    }),
  );
  const records = createRecordDifferences([a, b], service.remote);
  scope.add(records.dispose);
  const nameOf = (row: number) => {
    const now = state.peek();
    return now.at === 'done' ? nameIn(now.compared, row) : '';
  };
  const holds = computed(() => {
    const wanted = filter.value.trim();
    const now = state.value;
    if (wanted === '' || now.at !== 'done') return () => true;
    const ignoresCase = wanted === wanted.toLowerCase();
    return (row: number) => {
      const name = nameIn(now.compared, row);
      return (ignoresCase ? name.toLowerCase() : name).includes(wanted);
    };
  });
  return {
    state,
    choice,
    flame,
    view,
    chosen,
    filter,
    holds,
    nameOf,
    saved: (kind, a, b) => service.remote().saved(kind, a, b),
    records,
    dispose: scope.dispose,
  };
}

/** The name of a row. */
export function nameIn({ rows, a, b }: Compared, row: number): string {
  const at = rows.a[row] ?? -1;
  return (at >= 0 ? a.profile.names[at] : b.profile.names[rows.b[row] ?? -1]) ?? '';
}

const NO_PATHS: Profile['paths'] = {
  functions: new Uint32Array(),
  parent: new Uint32Array(),
  total: new Float64Array(),
  self: new Float64Array(),
  count: new Float64Array(),
};

const NO_NUMBERS = new Float64Array();

/** What the worker has is not kept here. */
function withoutPaths({ functions, profile }: Profiled): Profiled {
  const sampled = { function: new Uint32Array(), start: NO_NUMBERS, own: NO_NUMBERS };
  return { functions, profile: { ...profile, ...sampled, figures: NO_NUMBERS, paths: NO_PATHS } };
}
