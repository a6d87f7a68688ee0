import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { FlameView, Transforms, TreeRows, TreeView } from '../base/calls_protocol.ts';
import { formatCount } from '../base/format.ts';
import type { JobProgress, JobReply, RangeQuestion } from '../base/job_protocol.ts';
import type { Flame, Functions, Percentiles, Track } from '../base/protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { MAX_TICKS, ticks } from '../base/ticks.ts';
import { watch } from '../base/watch.ts';
import type { Trace } from './trace.ts';
import { inOrder } from './tracks.ts';
import { createTrail } from './trail.ts';
import type { Extent } from './view.ts';

/**
 * Interval between requests while the file is being read. It also delays the first request, because the picture has
 * priority.
 */
const REFRESH_MS = 1000;
/** The interval is at least this many times the last response time, so that scans do not delay reading. */
const REST = 12;
/** User Timing measure from a request to each of its replies. */
const MEASURE = 'unspool:statistics';

/** What a panel wants to know of the range. */
export interface Wanted {
  /** Equal if and only if the rest is. */
  readonly key: string;
  readonly functions: boolean;
  readonly flame: FlameView | null;
  readonly tree: TreeView | null;
  /** Flame graph and tree have what calls weigh in place of durations. */
  readonly weighed: boolean;
  readonly transforms: Transforms;
}

/** A flame graph, and for a sandwich the callers above it. */
export interface Flames {
  readonly flame: Flame;
  readonly callers: Flame | null;
}

/** The scope of the statistics: all threads (all tracks in a trace without threads), or one track by id. */
export type Whose = 'all' | number;

/** Statistics, estimated or exact. */
export interface Told<T> {
  readonly columns: T;
  /** Slices in the range, and how many of them the scan has visited. */
  readonly slices: number;
  readonly visited: number;
  /** The scan has visited all slices: only percentiles are estimates. */
  readonly exact: boolean;
  /** How many calls were not measured; null unless calls are weighed. */
  readonly unmeasured: number | null;
  /** What was asked, and the range; null for the whole trace. */
  readonly wanted: Wanted;
  readonly range: Extent | null;
}

/** The statistics of a range of a trace. They are requested while a panel shows them. */
export interface Statistics {
  /** The range, `to` exclusive; null for the whole trace. */
  readonly range: Signal<Extent | null>;
  /** The earlier ranges around it, the widest first. */
  readonly trail: ReadonlySignal<readonly Extent[]>;
  readonly whose: Signal<Whose>;
  /** What narrows the table of functions, as the user has typed it. */
  readonly functionFilter: Signal<string>;
  /** The tracks with slices. The same array until a track or a name changes. */
  readonly choices: ReadonlySignal<readonly Choice[]>;
  readonly all: ReadonlySignal<AllTracks>;
  /** What the panel in front shows, set by it; null while no panel shows statistics. */
  readonly shown: Signal<Wanted | null>;
  /** Id of the name that stands out in the timeline, or -1. */
  readonly highlighted: Signal<number>;
  /** Id of the name whose calls the Calls panel is to list, or -1. The panel resets it. */
  readonly listed: Signal<number>;
  /** null until the first reply. A reply stays until a newer one arrives. */
  readonly functions: ReadonlySignal<Told<Functions> | null>;
  readonly flame: ReadonlySignal<Told<Flames> | null>;
  readonly tree: ReadonlySignal<Told<TreeRows> | null>;
  /** Why there are no statistics, in a sentence; null while nothing is wrong. */
  readonly failure: ReadonlySignal<string | null>;
  /** Exact percentiles of one function in the current range and scope; null if not requested. */
  readonly exact: ReadonlySignal<Exact | null>;
  /** The range and the tracks in scope, for a question about them. Subscribes. */
  asked(): RangeQuestion;
  /** Requests the exact percentiles of a function by its name id. */
  askExact(name: number): void;
  dispose: Dispose;
}

/** A track to choose. */
export interface Choice {
  readonly id: number;
  readonly name: string;
}

/** The tracks that {@link Whose} `'all'` comprises. */
export interface AllTracks {
  readonly count: number;
  /** Whether they are threads. */
  readonly threads: boolean;
  /** Id and name of the track if there is exactly one. */
  readonly only: number | null;
  readonly name: string | null;
}

/** The exact percentiles of one function; `found` is null until they arrive. */
export interface Exact {
  readonly name: number;
  readonly found: Percentiles | null;
  /** null until it is known. */
  readonly progress: JobProgress | null;
  /** Why they cannot be found, in a sentence. */
  readonly failure: string | null;
}

/** The statistics of a trace, initially of the whole trace. */
export function createStatistics(trace: Trace): Statistics {
  const scope = createScope();
  const range = signal<Extent | null>(null);
  const trail = createTrail(range);
  scope.add(trail.dispose);
  const whose = signal<Whose>('all');
  const functionFilter = signal('');
  const shown = signal<Wanted | null>(null);
  const highlighted = signal(-1);
  const functions = signal<Told<Functions> | null>(null);
  const flame = signal<Told<Flames> | null>(null);
  const tree = signal<Told<TreeRows> | null>(null);
  const failure = signal<string | null>(null);
  const exact = signal<Exact | null>(null);

  let listed: readonly Choice[] = [];
  const choices = computed(() => {
    const next = choicesOf(trace.tracks.value.values());
    if (!sameChoices(listed, next)) listed = next;
    return listed;
  });
  const all = computed(() => {
    const tracks = tracksOf(trace.tracks.value.values(), 'all');
    const [only] = tracks.length === 1 ? tracks : [];
    const threads = tracks.some(({ kind }) => kind === 'thread');
    return { count: tracks.length, threads, only: only?.id ?? null, name: only?.name ?? null };
  });
  const inScope = computed(() => Uint32Array.from(tracksOf(trace.tracks.value.values(), whose.value), ({ id }) => id));
  const asked = (): RangeQuestion => ({
    from: range.value?.from ?? ticks(0n),
    to: range.value?.to ?? MAX_TICKS,
    tracks: inScope.value.slice(),
  });

  let cancel: Dispose | null = null;
  /** The last job was cancelled before it had its result. */
  let interrupted = false;
  let last: { question: string; status: unknown; progress: unknown } = { question: '', status: null, progress: null };
  let askedAt = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let took = 0;
  const take = (wanted: Wanted, of: Extent | null, reply: JobReply<'statistics'>) => {
    if (reply.t === 'job-progress') return;
    if (reply.t === 'job-failed') {
      cancel = null;
      failure.value = reply.error.sentence;
      // Figures of the previous question would look like an answer to this one.
      functions.value = null;
      flame.value = null;
      tree.value = null;
      return;
    }
    if (reply.last) cancel = null;
    took = performance.now() - askedAt;
    const { part, progress } = reply;
    const { exact: isExact, unmeasured } = part;
    const told = { slices: progress.of, visited: progress.done, exact: isExact, unmeasured, wanted, range: of };
    performance.measure(MEASURE, { start: askedAt, detail: { exact: told.exact, slices: told.slices } });
    failure.value = null;
    if (part.functions) functions.value = { columns: part.functions, ...told };
    if (part.flame) flame.value = { columns: { flame: part.flame, callers: part.callers }, ...told };
    if (part.tree) tree.value = { columns: part.tree, ...told };
  };
  const ask = () => {
    clearTimeout(timer);
    timer = undefined;
    const wanted = shown.value;
    const { from, to, tracks } = asked();
    const status = trace.status.value;
    const progress = trace.progress.value;
    if (wanted === null && cancel) {
      cancel();
      cancel = null;
      interrupted = true;
    }
    if (wanted === null || !progress.extent || tracks.length === 0) return;
    const question = [from, to, whose.value, wanted.key].join(' ');
    const changed = question !== last.question || interrupted;
    // It is another object when what was asked should be asked again.
    const finished = status.at === 'ready' && last.status !== status;
    const grown = status.at === 'loading' && progress !== last.progress;
    if (!changed && !finished && !grown) return;
    // A change by the user is requested at once. Growth of the trace and the first request wait.
    const hurried = finished || (changed && last.question !== '');
    const wait = hurried ? 0 : askedAt + Math.max(REFRESH_MS, REST * took) - performance.now();
    if (wait > 0) {
      timer = setTimeout(ask, wait);
      return;
    }
    last = { question, status, progress };
    interrupted = false;
    // Browsers keep measures until the page clears them.
    performance.clearMeasures(MEASURE);
    askedAt = performance.now();
    const { functions: table, flame: graph, tree: rows, weighed, transforms } = wanted;
    const about = { from, to, tracks, functions: table, flame: graph, tree: rows, weighed, transforms };
    const of = range.peek();
    cancel = trace.begin({ kind: 'statistics', ...about }, (reply) => take(wanted, of, reply));
  };
  scope.add(effect(ask));
  scope.add(() => clearTimeout(timer));
  let cancelExact: Dispose | null = null;
  const forgetExact = () => {
    cancelExact?.();
    cancelExact = null;
    exact.value = null;
  };
  // Exact percentiles are invalid for another range.
  scope.add(watch([range, whose, trace.status], forgetExact));
  // Those that are still being looked for are no longer wanted once the user leaves the function or the table.
  scope.add(
    watch([highlighted, shown], () => {
      const left = !shown.peek()?.functions || highlighted.peek() !== exact.peek()?.name;
      if (cancelExact && left) forgetExact();
    }),
  );
  const takeExact = (name: number, reply: JobReply<'percentiles'>) => {
    const pending: Exact = { name, found: null, progress: null, failure: null };
    if (reply.t === 'job-progress') {
      exact.value = { ...pending, progress: reply.progress };
      return;
    }
    cancelExact = null;
    if (reply.t === 'job-failed') exact.value = { ...pending, failure: reply.error.sentence };
    else exact.value = reply.part && { ...pending, found: reply.part };
  };

  return {
    range,
    trail: trail.ranges,
    whose,
    functionFilter,
    choices,
    all,
    shown,
    highlighted,
    listed: signal(-1),
    functions,
    flame,
    tree,
    asked,
    failure,
    exact,
    askExact: (name) => {
      exact.value = { name, found: null, progress: null, failure: null };
      cancelExact = trace.begin({ kind: 'percentiles', ...asked(), name }, (reply) => takeExact(name, reply));
    },
    dispose: scope.dispose,
  };
}

/** The tracks in the scope of the statistics. */
export function tracksOf(tracks: Iterable<Track>, whose: Whose): readonly Track[] {
  const filled = [...tracks].filter((track) => track.slices > 0);
  if (whose !== 'all') return filled.filter((track) => track.id === whose);
  // Lanes repeat the slices of threads in other groups, such as frames.
  const threads = filled.filter((track) => track.kind === 'thread');
  return threads.length > 0 ? threads : filled;
}

function choicesOf(tracks: Iterable<Track>): readonly Choice[] {
  return inOrder(tracks)
    .filter((track) => track.slices > 0)
    .map(({ id, name }) => ({ id, name }));
}

function sameChoices(a: readonly Choice[], b: readonly Choice[]): boolean {
  return a.length === b.length && a.every(({ id, name }, i) => id === b[i]!.id && name === b[i]!.name);
}

/** The name of all tracks in scope: the name of the only one, or their number. */
export function allName({ count, threads, name }: AllTracks): string {
  return name ?? `All ${formatCount(count)} ${threads ? 'threads' : 'tracks'}`;
}
