import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Flame, Functions, Percentiles, Track } from '../base/protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { MAX_TICKS, ticks } from '../base/ticks.ts';
import { watch } from '../base/watch.ts';
import type { StatisticsAnswer, Trace } from './trace.ts';
import type { Extent } from './view.ts';

/** While the trace grows, statistics are asked for again after so long. The first time, too: the picture comes first. */
const REFRESH_MS = 1000;
/** And after so many times as long as the last answer took: reading is what the person waits for. */
const REST = 12;
/** A User Timing measure: from a question to each of its answers. */
const MEASURE = 'unspool:statistics';

/** Which part of the statistics is on the screen. */
export type Part = 'functions' | 'flame';

/** Whose slices the statistics are about: the threads of the trace (all tracks, where it has no threads), or one track. */
export type Whose = 'all' | number;

/** Statistics as far as they are known. */
export interface Told<T> {
  readonly columns: T;
  /** Slices in the range, and how many of them were looked at. */
  readonly slices: number;
  readonly visited: number;
  /** All were looked at: nothing is estimated but percentiles. */
  readonly exact: boolean;
}

/** What is known of a range of a trace. Asks while something of it is on the screen. */
export interface Statistics {
  /** From the first position to the one behind the last; null for the whole trace. */
  readonly range: Signal<Extent | null>;
  readonly whose: Signal<Whose>;
  /** The tracks to choose from: those with slices. The same list as long as no name changes. */
  readonly choices: ReadonlySignal<readonly Choice[]>;
  readonly all: ReadonlySignal<AllTracks>;
  /** Set by the panel that is on the screen. */
  readonly shown: Signal<Part | null>;
  /** The call-tree node that the flame graph is about; 0 for all. */
  readonly focus: Signal<number>;
  /** The name that stands out in the timeline, or -1. */
  readonly highlighted: Signal<number>;
  /** null until something is known. What is known stays until there is something newer. */
  readonly functions: ReadonlySignal<Told<Functions> | null>;
  readonly flame: ReadonlySignal<Told<Flame> | null>;
  /** Exact percentiles of one function, of the range and the tracks as they are now. */
  readonly exact: ReadonlySignal<Exact | null>;
  askExact(name: number): void;
  dispose: Dispose;
}

/** A track by its name. */
export interface Choice {
  readonly id: number;
  readonly name: string;
}

/** The tracks that `'all'` stands for. */
export interface AllTracks {
  readonly count: number;
  /** They are threads. */
  readonly threads: boolean;
  /** Id and name of the track, where it is only one. */
  readonly only: number | null;
  readonly name: string | null;
}

/** What is known of one function; `found` is null while it is asked for. */
export interface Exact {
  readonly name: number;
  readonly found: Percentiles | null;
}

/** Statistics of a trace, at first of all of it. */
export function createStatistics(trace: Trace): Statistics {
  const scope = createScope();
  const range = signal<Extent | null>(null);
  const whose = signal<Whose>('all');
  const shown = signal<Part | null>(null);
  const focus = signal(0);
  const highlighted = signal(-1);
  const functions = signal<Told<Functions> | null>(null);
  const flame = signal<Told<Flame> | null>(null);
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
  const asked = () => ({
    from: range.value?.from ?? ticks(0n),
    to: range.value?.to ?? MAX_TICKS,
    tracks: Uint32Array.from(tracksOf(trace.tracks.value.values(), whose.value), ({ id }) => id),
  });

  let last: { question: string; status: string; progress: unknown } = { question: '', status: '', progress: null };
  let askedAt = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let took = 0;
  const take = (answer: StatisticsAnswer) => {
    took = performance.now() - askedAt;
    const { slices, visited, exact } = answer;
    performance.measure(MEASURE, { start: askedAt, detail: { exact, slices } });
    if (answer.functions) functions.value = { columns: answer.functions, slices, visited, exact };
    if (answer.flame) flame.value = { columns: answer.flame, slices, visited, exact };
  };
  const ask = () => {
    clearTimeout(timer);
    timer = undefined;
    const part = shown.value;
    const { from, to, tracks } = asked();
    const node = focus.value;
    const status = trace.status.value.at;
    const progress = trace.progress.value;
    if (part === null || !progress.extent || tracks.length === 0) return;
    const question = [part, from, to, whose.value, part === 'flame' ? node : ''].join(' ');
    const changed = question !== last.question;
    const finished = status === 'ready' && last.status !== 'ready';
    const grown = status === 'loading' && progress !== last.progress;
    if (!changed && !finished && !grown) return;
    // A person who has changed something does not wait. What merely grows does, and so does the first time.
    const hurried = finished || (changed && last.question !== '');
    const wait = hurried ? 0 : askedAt + Math.max(REFRESH_MS, REST * took) - performance.now();
    if (wait > 0) {
      timer = setTimeout(ask, wait);
      return;
    }
    last = { question, status, progress };
    // What a page keeps of its measures never goes away by itself.
    performance.clearMeasures(MEASURE);
    askedAt = performance.now();
    trace.statistics(
      { from, to, tracks, functions: part === 'functions', flame: part === 'flame' ? node : null },
      take,
    );
  };
  scope.add(effect(ask));
  scope.add(() => clearTimeout(timer));
  // What was exact of another range says nothing of this one.
  scope.add(
    watch([range, whose, trace.status], () => {
      exact.value = null;
    }),
  );

  return {
    range,
    whose,
    choices,
    all,
    shown,
    focus,
    highlighted,
    functions,
    flame,
    exact,
    askExact: (name) => {
      const pending: Exact = { name, found: null };
      exact.value = pending;
      trace.percentiles({ ...asked(), name }).then((found) => {
        if (exact.peek() === pending) exact.value = found && { name, found };
      });
    },
    dispose: scope.dispose,
  };
}

/** The tracks that statistics are about. */
export function tracksOf(tracks: Iterable<Track>, whose: Whose): readonly Track[] {
  const filled = [...tracks].filter((track) => track.slices > 0);
  if (whose !== 'all') return filled.filter((track) => track.id === whose);
  // Lanes say the same again in another way: frames hold the calls of threads.
  const threads = filled.filter((track) => track.kind === 'thread');
  return threads.length > 0 ? threads : filled;
}

function choicesOf(tracks: Iterable<Track>): readonly Choice[] {
  return [...tracks].filter((track) => track.slices > 0).map(({ id, name }) => ({ id, name }));
}

function sameChoices(a: readonly Choice[], b: readonly Choice[]): boolean {
  return a.length === b.length && a.every(({ id, name }, i) => id === b[i]!.id && name === b[i]!.name);
}
