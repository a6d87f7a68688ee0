import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { TreeView } from '../../base/calls_protocol.ts';
import { computedInPortions } from '../../base/computed_portions.ts';
import { formatCount } from '../../base/format.ts';
import { numbersWhere } from '../../base/order.ts';
import { type Portions, resultOf } from '../../base/portions.ts';
import { give, type RemoteWorker } from '../../base/remote.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import { textAt } from '../../base/texts.ts';
import { whenHolds } from '../../base/when.ts';
import type { PairDifferences } from '../../page/differences.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { createService, ENDED } from '../../trace/service.ts';
import type { Survey } from '../../trace/survey.ts';
import type { Change } from '../../trace/transforms.ts';
import { createTreeModel, type TreeModel } from '../../trace/tree_model.ts';
import { createDrawnOfBoth, type DrawnOfBoth } from './drawn.ts';
import { type BothPaths, changesFor, createBothPaths } from './paths.ts';
import { type Profiled, pathsOf, profileOf } from './profile.ts';
import type {
  ComparedFlames,
  ComparedFunctions,
  ComparedTree,
  Comparing,
  FlameQuestion,
  FlameWidth,
  FoundThings,
  Profile,
  SavedKind,
  ThingsOf,
} from './protocol.ts';
import { createRecordDifferences, type RecordDifferences } from './records.ts';
import type { Runs } from './runs.ts';
import { createSuspects, SUSPECTS_VIEW, type Suspects } from './suspects.ts';
import { createValueDifferences, haveValues, type ValueDifferences } from './values.ts';
import type { ValuesView } from './values_tables.tsx';
import type { Work } from './work.ts';

/** How far the comparison of figures is. */
export type State = Work<{ readonly compared: Compared }>;

/** What differs, with the functions that rows refer to. */
export interface Compared {
  readonly rows: ComparedFunctions;
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  /** What is chosen about call paths, and about their tree. */
  readonly paths: BothPaths;
  readonly tree: TreeModel;
}

/** Rows of the call tree, and the question that they answer. */
export interface TreeAnswer {
  readonly columns: ComparedTree;
  readonly asked: TreeView;
}

/** Key and noun of the ledger for a comparison. */
const HELD = 'differences of functions';
/** Bytes that a function of a side takes, about: its figures, its name, and its row, in the worker and in the page. 1.4 million took 2.4 GB, with the statistics of both. */
const FUNCTION_BYTES = 1500;

/** What is kept of a side: its functions. */
export type ComparedSide = Pick<Profiled, 'functions'>;

/** A flame graph, and the question that it answers. */
export interface FlameAnswer extends ComparedFlames {
  readonly asked: FlameQuestion;
}

/**
 * What is in front: the table, the call tree, the flame graph, the call graph, the calls of the chosen function, what OpenGL calls add up to,
 * their resources and findings, the records one by one, or a list about values.
 */
export type View =
  | 'functions'
  | 'tree'
  | 'flame'
  | 'graph'
  | 'calls'
  | 'drawn'
  | 'things'
  | 'records'
  | ValuesView
  | typeof SUSPECTS_VIEW;

/** What is shown of the flame graph. */
export interface FlameChoice {
  readonly width: FlameWidth;
  /** Times of B are scaled, so that both are equally long. */
  readonly normalised: boolean;
}

/** What decides how heavy an edge of the call graph is. */
export const BOTH_WEIGHTS = ['change', 'total', 'count'] as const;
export type BothWeight = (typeof BOTH_WEIGHTS)[number];

/** What is shown of the call graph. */
export interface GraphChoice {
  readonly form: Signal<'graph' | 'table'>;
  readonly weight: Signal<BothWeight>;
  /** How many edges are shown; null until the user says so. */
  readonly count: Signal<number | null>;
}

/** The comparison of two open traces, in their ranges, while a panel shows it. */
export interface Comparison {
  readonly state: ReadonlySignal<State>;
  readonly choice: Signal<FlameChoice>;
  readonly view: Signal<View>;
  /** What the flame graph in front is to show; null while there is none. */
  readonly wanted: ReadonlySignal<FlameQuestion | null>;
  /** The last one that was shown, null while there is none. */
  readonly flame: ReadonlySignal<FlameAnswer | null>;
  /** How many call paths the two leave out. */
  readonly cut: ReadonlySignal<number>;
  /** The rows of the call tree that were shown last, null while there are none. */
  readonly tree: ReadonlySignal<TreeAnswer | null>;
  readonly graph: GraphChoice;
  /** What is shown of the calls of a function: their durations, or a slow one of B beside a median one of A. */
  readonly callsShow: Signal<'durations' | 'slow'>;
  /** Index of the chosen row, or -1. */
  readonly chosen: Signal<number>;
  /** What narrows rows: a part of the name. */
  readonly filter: Signal<string>;
  /** Whether a row matches the filter. */
  readonly holds: ReadonlySignal<(row: number) => boolean>;
  /** The rows that match the filter, by the change. */
  readonly matching: ReadonlySignal<Uint32Array>;
  /** The comparison as a file, which may name the files of both. Rejects if the comparison fails or ends before, or with a sentence. */
  saved(kind: SavedKind, a: string, b: string): Promise<Blob>;
  readonly records: RecordDifferences;
  /** Of traces of OpenGL calls. */
  readonly drawn: DrawnOfBoth;
  /** Of the same, resources and findings. */
  thingsApart(a: ThingsOf, b: ThingsOf): Promise<FoundThings>;
  /** Of traces that have values in place of functions. */
  readonly values: ValueDifferences;
  /** Of the same, what goes with failing if runs of A passed and runs of B failed. */
  readonly suspects: Suspects;
  readonly dispose: Dispose;
}

/** The traces, as far as they are compared. */
export type Side = Pick<OpenTrace, 'trace' | 'statistics' | 'file'>;

/**
 * Compares B with A. `spawn` starts the worker. `runs`: further runs of both sides. `surveys` gives the surveys of both, if they have OpenGL
 * calls; it subscribes. `compares`: whether records are compared, and rules for what does not count of them.
 */
export function createComparison(
  a: Side,
  b: Side,
  spawn: () => RemoteWorker,
  runs: Pick<Runs, 'a' | 'b'> | null = null,
  surveys: () => readonly [Survey, Survey] | null = () => null,
  compares: Pick<PairDifferences, 'ignored' | 'wanted'> = { ignored: signal([]), wanted: signal(false) },
): Comparison {
  const scope = createScope();
  const state = signal<State>({ at: 'waiting' });
  const flame = signal<FlameAnswer | null>(null);
  const tree = signal<TreeAnswer | null>(null);
  const choice = signal<FlameChoice>({ width: 'larger', normalised: false });
  const view = signal<View>('functions');
  const chosen = signal(-1);
  const filter = signal('');
  /**
   * The changes that the worker's call paths have, and how many are left out. null while it has none: they may be a hundred times the
   * functions, and most people look at those.
   */
  const taken = signal<{ readonly changes: readonly Change[]; readonly cut: number } | null>(null);
  const fail = (sentence: string) => {
    state.value = { at: 'failed', sentence };
  };
  const service = createService<Comparing>(spawn, () => fail('The comparison has ended. Show this panel again.'));
  scope.add(service.end);

  /** Enters what so many functions take in the account of memory. Throws a sentence if there is no room. */
  const hold = (functions: number) => {
    const bytes = functions * FUNCTION_BYTES;
    const room = a.trace.ledger.room(HELD);
    if (bytes > room) {
      const [needed, left] = [Math.ceil(bytes / 1e6), Math.floor(room / 1e6)].map(formatCount);
      throw `Not enough memory to compare ${formatCount(functions)} functions: ${needed} MB needed, ${left} MB left. Choose a shorter range or one thread.`;
    }
    a.trace.ledger.set(HELD, { noun: HELD, bytes, free: null });
  };
  scope.add(() => hold(0));

  let paths: BothPaths | null = null;
  const compare = async (shares: [number, number], further: Further, signal: AbortSignal) => {
    const hear = (side: 0 | 1) => (share: number) => {
      shares[side] = share;
      if (!signal.aborted) state.value = { at: 'working', share: (shares[0] + shares[1]) / 2 };
    };
    const find = (side: Side, at: 0 | 1) => profileOf(side, side.statistics.asked(), hear(at), signal);
    try {
      const [of, to] = await Promise.all([find(a, 0), find(b, 1)]);
      if (!of || !to || signal.aborted) return;
      hold(of.functions.length + to.functions.length);
      const rows = await service
        .remote()
        .compare({ profile: give(of.profile), runs: further.a }, { profile: give(to.profile), runs: further.b });
      if (signal.aborted) return;
      const choices = await resultOf(createBothPaths(rows.names, paths));
      if (signal.aborted) return;
      paths = choices;
      const compared = {
        rows,
        a: { functions: of.functions },
        b: { functions: to.functions },
        paths: choices,
        tree: createTreeModel('change'),
      };
      batch(() => {
        chosen.value = -1;
        taken.value = null;
        state.value = { at: 'done', compared };
      });
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
      const further = { a: runs ? runs.a.profiles.value : [], b: runs ? runs.b.profiles.value : [] };
      const isRead = [a, b].every((side) => side.trace.status.value.at === 'ready' && !haveValues(side));
      flame.value = null;
      tree.value = null;
      state.value = isRead ? { at: 'working', share: 0 } : { at: 'waiting' };
      if (!isRead) return undefined;
      const controller = new AbortController();
      // What is known is shown until the runs that are still being read are there.
      void compare([0, 0], { a: further.a ?? [], b: further.b ?? [] }, controller.signal);
      return () => controller.abort();
    }),
  );
  /** Has the worker take the call paths of both after changes. */
  const takePaths = async ({ rows, ...sides }: Compared, changes: readonly Change[], signal: AbortSignal) => {
    const find = async ({ trace, statistics }: Side, side: 'a' | 'b') => {
      const { functions } = sides[side];
      const ids = (row: number) => functions.name[rows[side][row] ?? -1] ?? -1;
      const transforms = await resultOf(changesFor(changes, sides.paths.names, ids));
      return pathsOf({ trace }, statistics.asked(), functions, transforms, signal);
    };
    const [of, to] = await Promise.all([find(a, 'a'), find(b, 'b')]);
    if (!of || !to || signal.aborted) return;
    const remote = service.remote();
    await Promise.all([remote.takePaths(0, give(of.paths)), remote.takePaths(1, give(to.paths))]);
    if (!signal.aborted) taken.value = { changes, cut: of.cut + to.cut };
  };

  /** Runs what belongs to the comparison as it is, until that or what is shown is another one. */
  const during = (run: (isOver: () => boolean) => Promise<void>) => {
    let isOver = false;
    run(() => isOver).catch((thrown) => {
      if (!isOver && thrown !== ENDED) fail(String(thrown));
    });
    return () => {
      isOver = true;
    };
  };
  /** How many files are being saved that have call paths. */
  const saving = signal(0);
  const needsPaths = computed(() => saving.value > 0 || view.value === 'flame' || view.value === 'tree');
  /** Whether the worker has the call paths as they are to be. */
  const hasPaths = computed(() => {
    const now = state.value;
    return now.at === 'done' && taken.value?.changes === now.compared.paths.changes.value;
  });
  scope.add(
    effect(() => {
      const now = state.value;
      if (now.at !== 'done' || !needsPaths.value || hasPaths.value) return undefined;
      const changes = now.compared.paths.changes.value;
      const controller = new AbortController();
      const end = during(() => takePaths(now.compared, changes, controller.signal));
      return () => {
        end();
        controller.abort();
      };
    }),
  );
  /** Has the worker take call paths if it has not. Rejects if it cannot. */
  const whenPathsAreThere = async () => {
    const isSettled = computed(() => hasPaths.value || state.value.at === 'failed');
    saving.value += 1;
    try {
      await new Promise<void>((resolve, reject) => {
        const settle = () => (hasPaths.peek() ? resolve() : reject(ENDED));
        scope.add(whenHolds(isSettled, (is): is is true => is, settle));
        scope.add(() => reject(ENDED));
      });
    } finally {
      saving.value -= 1;
    }
  };
  const wanted = computed((): FlameQuestion | null => {
    const now = state.value;
    if (now.at !== 'done' || view.value !== 'flame') return null;
    const { mode, path, changes } = now.compared.paths;
    if (mode.value === 'time' || (mode.value === 'sandwich' && path.value.length === 0)) return null;
    // Others are another question.
    void changes.value;
    return { mode: mode.value, path: path.value, ...choice.value };
  });
  scope.add(
    effect(() => {
      const asked = wanted.value;
      if (!asked || !hasPaths.value) return undefined;
      return during(async (isOver) => {
        const found = await service.remote().flame(asked);
        if (!isOver()) flame.value = found && { ...found, asked };
      });
    }),
  );
  scope.add(
    effect(() => {
      const now = state.value;
      if (now.at !== 'done' || view.value !== 'tree' || !hasPaths.value) return undefined;
      const asked = now.compared.tree.rowsAsked.value;
      return during(async (isOver) => {
        // The question is asked again with other rows, so its arrays stay here.
        const { parents, names } = asked;
        const columns = await service.remote().calls({ ...asked, parents: parents.slice(), names: names.slice() });
        if (!isOver()) tree.value = columns && { columns, asked };
      });
    }),
  );
  const records = createRecordDifferences([a, b], service.remote, compares);
  scope.add(records.dispose);
  const values = createValueDifferences([a, b], service.remote);
  scope.add(values.dispose);
  const suspects = createSuspects([a, b], runs, values, () => view.value === SUSPECTS_VIEW, service.remote);
  scope.add(suspects.dispose);
  const drawn = createDrawnOfBoth(surveys, service.remote);
  scope.add(drawn.dispose);
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
  const matches = computedInPortions(() => matchesOf(state.value, holds.value), NO_MATCHES);
  scope.add(matches.dispose);
  const matching = computed(() => {
    const now = state.value;
    const listing = matches.result.value;
    return now.at === 'done' && now.compared === listing.compared ? listing.rows : NO_MATCHES.rows;
  });
  return {
    state,
    choice,
    wanted,
    flame,
    cut: computed(() => taken.value?.cut ?? 0),
    tree,
    graph: { form: signal('graph'), weight: signal('change'), count: signal(null) },
    view,
    callsShow: signal('durations'),
    chosen,
    filter,
    holds,
    matching,
    saved: async (kind, a, b) => {
      if (kind !== 'functions') await whenPathsAreThere();
      return service.remote().saved(kind, a, b);
    },
    records,
    drawn,
    thingsApart: (a, b) => service.remote().thingsApart(a, b),
    values,
    suspects,
    dispose: scope.dispose,
  };
}

/** Rows of a comparison that a filter leaves. */
interface Matches {
  readonly compared: Compared | null;
  readonly rows: Uint32Array;
}

const NO_MATCHES: Matches = { compared: null, rows: new Uint32Array() };

function* matchesOf(state: State, holds: (row: number) => boolean): Portions<Matches> {
  if (state.at !== 'done') return NO_MATCHES;
  return { compared: state.compared, rows: yield* numbersWhere(state.compared.rows.length, holds) };
}

/** The name of a row. */
export function nameIn({ rows }: Compared, row: number): string {
  return textAt(rows.names, row);
}

/** Further runs of both sides. */
type Further = Readonly<Record<'a' | 'b', readonly Profile[]>>;
