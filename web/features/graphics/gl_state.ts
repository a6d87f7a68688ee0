import { type ReadonlySignal, signal } from '@preact/signals';
import { createScope, type Dispose } from '../../base/scope.ts';
import type { OpensCalls } from '../../base/survey_protocol.ts';
import { watch } from '../../base/watch.ts';
import type { GraphicsWorker } from '../../trace/graphics.ts';
import { createReadingWorker } from '../../trace/reading_worker.ts';
import { momentOf, type Selection } from '../../trace/selection.ts';
import type { Trace } from '../../trace/trace.ts';
import type { GlBuilt, GlState, StateAtCalls } from './gl_state_protocol.ts';

/** The OpenGL state at the call that is selected. */
export interface GlStates {
  /** How far the reading is. null before it begins. */
  readonly built: ReadonlySignal<GlBuilt | null>;
  readonly isStopped: ReadonlySignal<boolean>;
  /** Why there is no state, or ''. */
  readonly error: ReadonlySignal<string>;
  /** The selected call. null without a selection. */
  readonly call: ReadonlySignal<number | null>;
  /** Whether the state before the call is shown, otherwise after it. */
  readonly isBefore: ReadonlySignal<boolean>;
  /** The latest state. That of the previous call stays until the new one arrives. */
  readonly shown: ReadonlySignal<GlState | null>;
  /** From now on the state at the selected call is asked for, until this is disposed of: the pane is in front. */
  follow(): Dispose;
  /** Shows the state before the call, or after it. */
  showBefore(isBefore: boolean): void;
  /** The state after a call, whatever is selected, once that is read. Resolves with null if it is not known. */
  at(call: number): Promise<GlState | null>;
  /** Stops the reading, or goes on with it. */
  stop(): void;
  goOn(): void;
  readonly dispose: Dispose;
}

/** User Timing measure from a question to its state; with `-read`, from the beginning of the reading to its end. */
const MEASURE = 'unspool:state';
const CRASHED = 'The reader of OpenGL state stopped unexpectedly. Reload the page to try again.';

/** The state of an open trace. Begins to read the calls as soon as the trace is read. `graphics` is the worker of its calls. */
export function createGlStates(
  trace: Pick<Trace, 'status' | 'tracks'>,
  selection: Pick<Selection, 'place' | 'selected' | 'record'>,
  graphics: Pick<GraphicsWorker, 'part'>,
): GlStates {
  const built = signal<GlBuilt | null>(null);
  const call = signal<number | null>(null);
  const isBefore = signal(false);
  const shown = signal<GlState | null>(null);
  const scope = createScope();
  /** When the reading began. */
  let begun = 0;
  /** Counts the questions: an older answer does not replace a newer one. */
  let asked = 0;
  /** The selected call was not reached when its state was asked for. */
  let isAwaited = false;
  /** Number of those who look at the state. */
  let watching = 0;

  const worker = createReadingWorker<StateAtCalls, OpensCalls, GlBuilt>(trace, {
    ...graphics.part('state'),
    begun: () => {
      begun = performance.now();
      built.value = { built: 0, count: 0, done: false, full: false };
      void ask();
    },
    hear: (news) => {
      if (news.done && !built.peek()?.done) performance.measure(`${MEASURE}-read`, { start: begun });
      built.value = news;
      if (isAwaited && (call.peek() ?? Number.POSITIVE_INFINITY) < news.built) void ask();
    },
    crashed: CRASHED,
  });
  scope.add(worker.dispose);
  const ask = async () => {
    const wanted = call.peek();
    asked += 1;
    const mine = asked;
    isAwaited = false;
    if (wanted === null || watching === 0) return;
    const before = isBefore.peek();
    const began = performance.now();
    const state = await worker.ask.at(wanted, before);
    if (mine !== asked || worker.isDisposed()) return;
    if (state) {
      // Browsers keep measures until the page clears them.
      performance.clearMeasures(MEASURE);
      performance.measure(MEASURE, { start: began, detail: { call: wanted } });
      shown.value = state;
    } else isAwaited = true;
  };
  /** Resolves when a call is read, or when no more will be. */
  const reached = (wanted: number) =>
    new Promise<void>((resolve) => {
      const isThere = () => {
        const now = built.peek();
        return (
          worker.isDisposed() ||
          worker.error.peek() !== '' ||
          (now !== null && (now.done || now.full || wanted < now.built))
        );
      };
      if (isThere()) {
        resolve();
        return;
      }
      const stop = watch([built, worker.error], () => {
        if (!isThere()) return;
        stop();
        resolve();
      });
      scope.add(() => {
        stop();
        resolve();
      });
    });

  scope.add(
    watch([selection.selected, selection.record], () => {
      const place = selection.place();
      const wanted = place ? Number(momentOf(place, trace.tracks.peek())) : null;
      if (wanted === call.peek() && wanted !== null) return;
      call.value = wanted;
      void ask();
    }),
  );
  return {
    built,
    isStopped: worker.isStopped,
    error: worker.error,
    call,
    isBefore,
    shown,
    follow: () => {
      watching += 1;
      void ask();
      return () => {
        watching -= 1;
      };
    },
    showBefore: (before) => {
      isBefore.value = before;
      void ask();
    },
    at: async (wanted) => {
      await reached(wanted);
      return worker.ask.at(wanted, false);
    },
    stop: worker.stop,
    goOn: worker.goOn,
    dispose: scope.dispose,
  };
}
