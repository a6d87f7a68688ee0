import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { RemoteWorker } from '../base/remote.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import type {
  Cell,
  HistoryPart,
  Indexed,
  StepAccess,
  StepFilter,
  StepState,
  Steps,
  StepsFile,
  WalkKind,
} from '../base/steps_protocol.ts';
import { ticks } from '../base/ticks.ts';
import { watch } from '../base/watch.ts';
import { type Answers, createReadingWorker } from './reading_worker.ts';
import type { Selection } from './selection.ts';
import { stepsFileOf } from './steps_file.ts';
import type { Trace } from './trace.ts';

/** What is known of the machine before a step. */
export interface Shown {
  readonly step: number;
  readonly state: StepState;
}

/** A history that is shown. */
export interface ShownHistory {
  readonly cell: Cell;
  readonly part: HistoryPart;
}

/** A value that is followed: that of a cell before a step, back to where it comes from, or on to what uses it. */
export interface Followed {
  readonly cell: Cell;
  readonly step: number;
  readonly way: 'back' | 'on';
}

/** Registers and memory of a trace at the step that is selected. */
export interface Machine {
  /** How far the index is. null before it begins. */
  readonly indexed: ReadonlySignal<Indexed | null>;
  readonly isStopped: ReadonlySignal<boolean>;
  /** Why there is no index, or ''. */
  readonly error: ReadonlySignal<string>;
  /** The selected step. null without a selection. */
  readonly step: ReadonlySignal<number | null>;
  /** The latest state. That of the previous step stays until the new one arrives. */
  readonly shown: ReadonlySignal<Shown | null>;
  readonly history: ReadonlySignal<ShownHistory | null>;
  /** The value that is followed. It stays when another step is selected. */
  readonly followed: Signal<Followed | null>;
  /** Asks the index. */
  readonly ask: Answers<Steps>;
  /** Selects a step. */
  goTo(step: number): void;
  /** Selects the nearest step that reads or writes a cell, or with null does either. Resolves with whether there is one. */
  goToNearest(cell: Cell, written: boolean | null, next: boolean): Promise<boolean>;
  /** Selects the step that executes an address for the `number`th time, counted from 0, from step `from` on. */
  goToExecution(address: bigint, number: number, from?: number): void;
  /** Resolves when a step is indexed, or will not be for now: the indexing is paused, has ended or cannot begin yet. */
  ready(step: number): Promise<void>;
  /**
   * The nearest step of a kind before or after a step: null if there is none, undefined if that is unknown, because the step is
   * not indexed. With a filter, one that it matches.
   */
  nearestOf(step: number, kind: WalkKind, next: boolean, filter: StepFilter | null): Promise<number | null | undefined>;
  /** The nearest step that a filter matches, from `step` on or before it, on the thread of step `of`; as {@link Machine.nearestOf}. */
  nearestMatch(step: number, next: boolean, of: number, filter: StepFilter): Promise<number | null | undefined>;
  /** Shows the history of a cell; null shows none. */
  showHistory(cell: Cell | null): void;
  /** Stops the indexing, or goes on with it. */
  stop(): void;
  goOn(): void;
  /** From now on the state at the selected step is asked for. Without it, accesses need not be indexed. */
  showState(): void;
  readonly dispose: Dispose;
}

/** What an access is of. */
export function cellOf({ register, thread, address, value }: StepAccess): Cell {
  return register === null
    ? { what: 'memory', address, len: value.length }
    : { what: 'register', thread, name: register };
}

/** Steps of a history that are shown around the selected one. */
const HISTORY_ROWS = 60;
/** Steps that use a value and are listed. */
export const MOST_USES = 40;

const CRASHED = 'The index of this trace ended unexpectedly. Reload the page to try again.';

/** The machine of an open trace. Begins to index the trace as soon as that is read. `spawn` starts the worker. */
export function createMachine(
  trace: Pick<Trace, 'recordSource' | 'records' | 'status' | 'info'>,
  selection: Pick<Selection, 'place' | 'selected' | 'record' | 'revealRecord'>,
  spawn: () => RemoteWorker,
): Machine {
  const indexed = signal<Indexed | null>(null);
  const step = signal<number | null>(null);
  const shown = signal<Shown | null>(null);
  const history = signal<ShownHistory | null>(null);
  const followed = signal<Followed | null>(null);
  const scope = createScope();
  let cell: Cell | null = null;
  /** Counts the questions about states: an older answer does not replace a newer one. */
  let asked = 0;
  /** The selected step was not indexed when its state was asked for. */
  let isAwaited = false;
  let isStateShown = false;

  const worker = createReadingWorker<Steps, StepsFile, Indexed>(trace, {
    spawn,
    open: () => stepsFileOf(trace),
    begun: () => {
      indexed.value = { built: 0, count: 0, bytes: 0, done: false, full: false };
      void askForState();
    },
    hear: (news) => {
      indexed.value = news;
      // It stays: building it again takes longer than anything else in the account.
      trace.recordSource.ledger?.set('index', { noun: 'step indexes', bytes: news.bytes, free: null });
      const wanted = step.peek();
      if (isAwaited && wanted !== null && wanted < news.built) {
        isAwaited = false;
        void askForState();
      } else if (news.done) void askForState();
    },
    crashed: CRASHED,
  });
  scope.add(worker.dispose);
  const { error, isStopped, isDisposed, ask } = worker;
  const askForState = async () => {
    const wanted = step.peek();
    asked += 1;
    const mine = asked;
    if (wanted === null || !isStateShown) return;
    const state = await ask.state(wanted);
    if (mine !== asked || isDisposed()) return;
    isAwaited = !state;
    if (state) shown.value = { step: wanted, state };
    await askForHistory();
  };
  const askForHistory = async () => {
    const wanted = cell;
    const at = step.peek();
    if (!wanted || at === null) return;
    const part = await ask.history(at, wanted, HISTORY_ROWS);
    if (part && cell === wanted && step.peek() === at) history.value = { cell: wanted, part };
  };

  scope.add(
    watch([selection.selected, selection.record], () => {
      const place = selection.place();
      step.value = place ? Number(place.start) : null;
      void askForState();
    }),
  );
  const goTo = async (wanted: number) => {
    const track = selection.place()?.track ?? null;
    const row = await trace.records.recordAt(ticks(BigInt(wanted)), track);
    if (row && !isDisposed()) selection.revealRecord(row);
  };
  return {
    indexed,
    isStopped,
    error,
    step,
    shown,
    history,
    followed,
    ask,
    goTo: (wanted) => void goTo(wanted),
    goToNearest: async (wanted, written, next) => {
      const at = step.peek();
      if (at === null) return false;
      const found = await ask.nearest(at, wanted, written, next);
      if (found === null) return false;
      await goTo(found);
      return true;
    },
    goToExecution: (address, number, from = 0) => {
      void ask.execution(address, from, number).then((found) => {
        if (found !== null) void goTo(found);
      });
    },
    ready: (wanted) =>
      new Promise((resolve) => {
        let stop: (() => void) | null = null;
        stop = effect(() => {
          const at = indexed.value;
          const isThere = at !== null && (at.done || at.built > wanted);
          const isHopeless = error.value !== '' || isStopped.value || trace.status.value.at !== 'ready' || isDisposed();
          if (!isThere && !isHopeless) return;
          resolve();
          // The effect runs once before `effect` returns.
          queueMicrotask(() => stop?.());
        });
      }),
    nearestOf: async (from, kind, next, filter) => (await ask.walk(from, kind, next, filter))?.step,
    nearestMatch: async (from, next, of, filter) => (await ask.match(from, next, of, filter))?.step,
    showHistory: (wanted) => {
      cell = wanted;
      history.value = null;
      void askForHistory();
    },
    showState: () => {
      if (isStateShown) return;
      isStateShown = true;
      void askForState();
    },
    stop: worker.stop,
    goOn: worker.goOn,
    dispose: scope.dispose,
  };
}
