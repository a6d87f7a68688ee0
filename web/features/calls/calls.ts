import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import {
  type FlameView,
  LISTINGS,
  listingView,
  NO_TRANSFORMS,
  type TimeOrder,
  type Transforms,
  type TreeRows,
} from '../../base/calls_protocol.ts';
import { computedInPortions } from '../../base/computed_portions.ts';
import type { JobProgress } from '../../base/job_protocol.ts';
import type { Portions } from '../../base/portions.ts';
import type { Clock } from '../../base/protocol.ts';
import { give } from '../../base/remote.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import type { CallWeights, Measure } from '../../base/survey_protocol.ts';
import { watch } from '../../base/watch.ts';
import type { CallPaths, FlameMode } from '../../trace/call_paths.ts';
import { layRows, type TreeRow } from '../../trace/call_tree.ts';
import type { Names } from '../../trace/names.ts';
import { createPathActions, type PathActions } from '../../trace/path_actions.ts';
import { transformsOf } from '../../trace/path_changes.ts';
import type { Selection } from '../../trace/selection.ts';
import type { Statistics, Wanted } from '../../trace/statistics.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Change } from '../../trace/transforms.ts';
import { createTreeModel, type TreeModel } from '../../trace/tree_model.ts';
import { type Marked, markDurations } from './brush.ts';
import { createCallList, type FunctionCalls } from './call_list.ts';
import { STACK_ORDERS, type StackOrder, type Stacks, stacksOf } from './stacks.ts';
import type { CallView } from './views.ts';

/** The picture of calls in the order of time. */
export type TimePicture =
  | { readonly at: 'making'; readonly progress: JobProgress | null }
  | { readonly at: 'made'; readonly picture: TimeOrder }
  | { readonly at: 'failed'; readonly sentence: string };

/** What calls weigh. */
export interface Weight {
  /** What was measured. */
  readonly measure: Measure;
}

/** A {@link Weight} for the trace's worker. */
export interface Weights extends Weight {
  /** Where the calls begin that were measured, and what they weigh. */
  readonly given: CallWeights;
}

/** The state of the Functions panel of one trace. */
export interface Calls extends PathActions, TreeModel {
  /** The panel is on the screen. */
  readonly mounted: Signal<boolean>;
  readonly view: ReadonlySignal<CallView>;
  /** What the flame graph is weighed by in place of durations, or null. */
  readonly weight: ReadonlySignal<Weight | null>;
  /** Weights were chosen, or measured again, and {@link Calls.weight} is still what they replace. */
  readonly weighing: Signal<boolean>;
  /** Rows of the tree on the screen. */
  readonly rows: ReadonlySignal<readonly TreeRow[]>;
  /** What decides which stacks are listed, and their order. */
  readonly stackOrder: Signal<StackOrder>;
  /** The heaviest stacks, the heaviest first; null until they are known. */
  readonly stacks: ReadonlySignal<Stacks | null>;
  /** Key of the current stack; '' for none. */
  readonly stack: Signal<string>;
  /** Lengths are shown in ticks, although the clock is known. */
  readonly inTicks: Signal<boolean>;
  /** The clock that lengths are shown by; null until the format is known. */
  readonly clock: ReadonlySignal<Clock | null>;
  /** The calls of one function in place of the view; null while the view shows. */
  readonly listed: ReadonlySignal<FunctionCalls | null>;
  /** null unless the flame graph is in the order of time. */
  readonly time: ReadonlySignal<TimePicture | null>;
  /** Has the flame graph take these weights, which are given away, or durations with null. */
  weigh(weights: Weights | null): void;
  /** Opens the tree, from outermost calls, up to a path, which becomes its current row. */
  showInTree(path: readonly number[]): void;
  /** Focuses a path in the flame graph from outermost calls. */
  showInFlame(path: readonly number[]): void;
  /** Lists the calls of a function. */
  list(name: number): void;
  /** Returns from the list to the view. */
  back(): void;
  readonly dispose: Dispose;
}

interface Parts {
  readonly trace: Trace;
  readonly statistics: Statistics;
  readonly selection: Selection;
  readonly callPaths: CallPaths;
  readonly find: Marked['find'];
}

/**
 * The Functions panel of a trace. `view` is the one in front, which the caller remembers. `wished` is the name whose longest call is to
 * be compared once its calls are listed, or -1.
 */
export function createCalls(
  { trace, statistics, selection, callPaths, find }: Parts,
  view: ReadonlySignal<CallView>,
  wished: Signal<number> = signal(-1),
): Calls {
  const scope = createScope();
  const mounted = signal(false);
  const { mode, changes, path, trail, setTrail } = callPaths;
  const actions = createPathActions(callPaths);
  const weight = signal<Weight | null>(null);
  const weighing = signal(false);
  /** Counts the weights that the worker was given. */
  let weighings = 0;
  const tree = createTreeModel('total');
  const { inverted, sort, rowsAsked } = tree;
  const inTicks = signal(false);
  const clock = computed((): Clock | null => {
    const own = trace.info.value?.clock ?? null;
    return own?.kind === 'seconds' && inTicks.value ? { kind: 'ticks' } : own;
  });
  const stackOrder = signal<StackOrder>('self');
  const stack = signal('');
  const listed = signal<FunctionCalls | null>(null);
  const time = signal<TimePicture | null>(null);

  /** The names that filters match: others after they were renamed, and more once the file is read. */
  const known = computed(() => {
    const filtered = changes.value.some(({ kind }) => kind === 'only');
    return filtered ? `${trace.names.version.value} ${trace.status.value.at} ${trace.names.text.length}` : '';
  });
  /** The changes that the worker can be asked with, once the names are known that filters match. */
  const transforming = computedInPortions(() => madeOf(changes.value, known.value, trace.names), NOTHING_MADE);
  scope.add(transforming.dispose);
  const transforms = computed(() => transforming.result.value.transforms);
  const isMade = computed(
    () => transforming.result.value.changes === changes.value && transforming.result.value.known === known.value,
  );
  const wanted = computed((): Wanted | null => {
    if (!mounted.value || listed.value) return null;
    const none = { functions: false, flame: null, tree: null, weighed: false, transforms: NO_TRANSFORMS };
    if (view.value === 'functions') return { ...none, functions: true, key: 'functions' };
    if (view.value === 'graph') {
      return { ...none, functions: true, tree: listingView(LISTINGS.edges), key: 'graph' };
    }
    if (view.value === 'stacks') {
      const order = stackOrder.value;
      return { ...none, tree: listingView(LISTINGS[order]), key: `stacks ${order}` };
    }
    const changed = `${changes.value.map((change) => JSON.stringify(change)).join()} ${known.value}`;
    if (view.value === 'tree') {
      const tree = rowsAsked.value;
      const rows = [...tree.parents, '/', ...tree.names, '/', tree.everything].join();
      return { ...none, tree, transforms: transforms.value, key: `tree ${inverted.value} ${rows} ${changed}` };
    }
    const flame = flameView(mode.value, path.value);
    if (!flame) return null;
    const weighed = weight.value !== null;
    const key = `flame ${flame.mode} ${flame.path.join()} ${weighed ? weighings : 0} ${changed}`;
    return { ...none, flame, weighed, transforms: transforms.value, key };
  });
  scope.add(
    effect(() => {
      const now = wanted.value;
      // What was asked before stays until then.
      if (['tree', 'flame'].includes(view.value) && !isMade.value) return;
      if (statistics.shown.peek()?.key !== now?.key) statistics.shown.value = now;
    }),
  );
  scope.add(() => {
    statistics.shown.value = null;
  });

  const stacks = computed(() => {
    const told = statistics.tree.value;
    // The stacks before stay in sight while those of another order are being found.
    const order = STACK_ORDERS.find((by) => LISTINGS[by] === told?.wanted.tree?.listing);
    return told && order ? stacksOf(told.columns, order) : null;
  });
  const rows = computed(() => {
    const told = statistics.tree.value;
    if (told?.wanted.tree?.listing !== LISTINGS.tree) return [];
    if (told.wanted.tree.inverted !== inverted.value) return [];
    return layRows(told.columns, (by) => figuresBy(told.columns, by), sort.value, trace.names);
  });
  // Once everything is open, the rows say what that was.
  scope.add(
    watch([statistics.tree], () => {
      const told = statistics.tree.peek();
      if (!told || told.wanted.tree?.everything === null || rowsAsked.peek().everything === null) return;
      if (told.wanted.key !== wanted.peek()?.key || !told.exact) return;
      tree.tookEverything(rows.peek());
    }),
  );

  // The order of time needs the slices themselves, so it is a job of its own.
  const timed = computed(() => mounted.value && !listed.value && view.value === 'flame' && mode.value === 'time');
  scope.add(
    watch([timed, transforms, statistics.range, statistics.whose, trace.status], () => {
      time.value = null;
      if (!timed.peek() || trace.status.peek().at === 'loading') return undefined;
      time.value = { at: 'making', progress: null };
      const question = { kind: 'timeOrder', ...statistics.asked(), transforms: transforms.peek() } as const;
      return trace.begin(question, (reply) => {
        if (reply.t === 'job-progress') time.value = { at: 'making', progress: reply.progress };
        else if (reply.t === 'job-failed') time.value = { at: 'failed', sentence: reply.error.sentence };
        else time.value = { at: 'made', picture: reply.part };
      });
    }),
  );

  /** Stacks are those of calls as they are. To change the paths is to leave what is in focus, so this comes first. */
  const withoutChanges = () => {
    if (changes.peek().length > 0) changes.value = [];
  };

  let unmark: Dispose | null = null;
  const leaveList = () => {
    unmark?.();
    unmark = null;
    listed.peek()?.dispose();
    listed.value = null;
  };
  scope.add(leaveList);
  scope.add(watch([view], leaveList));
  const list = (name: number) => {
    leaveList();
    const next = createCallList(name, trace, statistics, selection);
    unmark = markDurations(next, { trace, statistics, find });
    if (wished.peek() === name) next.compare('longest');
    wished.value = -1;
    listed.value = next;
  };
  scope.add(
    watch([statistics.listed], () => {
      const name = statistics.listed.peek();
      if (name < 0) return;
      statistics.listed.value = -1;
      list(name);
    }),
  );

  return {
    ...actions,
    ...tree,
    mounted,
    view,
    weight,
    weighing,
    rows,
    inTicks,
    clock,
    stackOrder,
    stacks,
    stack,
    listed,
    time,
    weigh: (next) => {
      if (next) {
        weighings += 1;
        void trace.weigh(give(next.given.at), give(next.given.weights));
      }
      batch(() => {
        weight.value = next && { measure: next.measure };
        weighing.value = false;
      });
    },
    showInTree: (path) => {
      withoutChanges();
      tree.openTo(path);
    },
    showInFlame: (to) => {
      withoutChanges();
      batch(() => {
        mode.value = 'heavy';
        if (to.join() !== path.peek().join()) setTrail([...trail.peek(), to]);
      });
    },
    list,
    back: leaveList,
    dispose: scope.dispose,
  };
}

/** Changes as they cross to the worker. */
interface Made {
  readonly changes: readonly Change[];
  /** The names that filters were tried on. */
  readonly known: string;
  readonly transforms: Transforms;
}

const NOTHING_MADE: Made = { changes: [], known: '', transforms: NO_TRANSFORMS };

function* madeOf(changes: readonly Change[], triedOn: string, names: Names): Portions<Made> {
  return { changes, known: triedOn, transforms: yield* transformsOf(changes, names) };
}

/** The question for a flame graph; null if there is none to ask. */
function flameView(mode: FlameMode, path: readonly number[]): FlameView | null {
  const names = Uint32Array.from(path);
  switch (mode) {
    case 'heavy':
      return { mode: 'down', path: names };
    case 'inverted':
      return { mode: 'up', path: names };
    case 'sandwich':
      return path.length > 0 ? { mode: 'sandwich', path: names } : null;
    case 'time':
      return null;
  }
}

/** The figures of a column of the tree. */
function figuresBy(columns: TreeRows, by: string): Float64Array | null {
  return by === 'total' || by === 'self' || by === 'count' ? columns[by] : null;
}
