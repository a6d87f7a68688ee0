import { type ReadonlySignal, signal } from '@preact/signals';
import type { FromGlState, GlBuilt, GlState, ToGlState } from '../base/gl_state_protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { ticks } from '../base/ticks.ts';
import { watch } from '../base/watch.ts';
import { createRequests } from './requests.ts';
import type { Selection } from './selection.ts';
import type { Trace } from './trace.ts';

/** The part of `Worker` that the state of a trace uses. Tests substitute their own. */
export interface GlStatePort {
  postMessage(message: ToGlState, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromGlState>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

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
  /** Shows the state before the call, or after it. */
  showBefore(isBefore: boolean): void;
  /** Selects a call. */
  goTo(call: number): void;
  /** Stops the reading, or goes on with it. */
  stop(): void;
  goOn(): void;
  readonly dispose: Dispose;
}

const CRASHED = 'The state of this trace ended unexpectedly. Reload the page to try again.';

/** The state of an open trace. Begins to read the calls as soon as the trace is read. `spawn` starts the worker. */
export function createGlStates(
  trace: Pick<Trace, 'recordSource' | 'records' | 'status' | 'info'>,
  selection: Pick<Selection, 'place' | 'selected' | 'record' | 'revealRecord'>,
  spawn: () => GlStatePort,
): GlStates {
  const built = signal<GlBuilt | null>(null);
  const isStopped = signal(false);
  const error = signal('');
  const call = signal<number | null>(null);
  const isBefore = signal(false);
  const shown = signal<GlState | null>(null);
  const scope = createScope();
  let port: GlStatePort | null = null;
  let disposed = false;
  /** Counts the questions: an older answer does not replace a newer one. */
  let asked = 0;
  /** The selected call was not reached when its state was asked for. */
  let isAwaited = false;

  const requests = createRequests<ToGlState, Extract<FromGlState, { t: 'answer' }>>((message) =>
    port?.postMessage(message),
  );
  const ask = async () => {
    const wanted = call.peek();
    asked += 1;
    const mine = asked;
    isAwaited = false;
    if (wanted === null || !port) return;
    const before = isBefore.peek();
    const reply = await requests.ask('answer', (id) => ({ t: 'ask', id, call: wanted, before }));
    if (mine !== asked || disposed || !reply) return;
    if (reply.error !== null) error.value = reply.error;
    else if (reply.state) shown.value = reply.state;
    else isAwaited = true;
  };
  const hear = (message: FromGlState) => {
    if (message.t === 'answer') requests.settle(message);
    else if (message.t === 'failed') error.value = message.sentence;
    else {
      built.value = message;
      if (isAwaited && (call.peek() ?? Number.POSITIVE_INFINITY) < message.built) void ask();
    }
  };
  const start = async () => {
    const info = trace.info.peek();
    const file = await trace.recordSource.file();
    const records = await trace.recordSource.index();
    if (disposed || !info || !file || !records) return;
    const started = spawn();
    port = started;
    started.onmessage = ({ data }) => hear(data);
    const crash = () => {
      error.value = CRASHED;
    };
    started.onerror = (event) => {
      event.preventDefault();
      crash();
    };
    started.onmessageerror = crash;
    started.postMessage({ t: 'open', file, format: info.format, records }, [records.buffer]);
    built.value = { built: 0, count: 0, done: false, full: false };
    await ask();
  };

  scope.add(
    watch([selection.selected, selection.record], () => {
      const place = selection.place();
      const wanted = place ? Number(place.start) : null;
      if (wanted === call.peek() && wanted !== null) return;
      call.value = wanted;
      void ask();
    }),
  );
  // Where the pieces of the file are is known when it has been read.
  let begun = false;
  scope.add(
    watch([trace.status], () => {
      if (begun || trace.status.peek().at !== 'ready') return;
      begun = true;
      void start();
    }),
  );
  return {
    built,
    isStopped,
    error,
    call,
    isBefore,
    shown,
    showBefore: (before) => {
      isBefore.value = before;
      void ask();
    },
    goTo: (wanted) => {
      void trace.records.recordAt(ticks(BigInt(wanted)), selection.place()?.track ?? null).then((row) => {
        if (row && !disposed) selection.revealRecord(row);
      });
    },
    stop: () => {
      isStopped.value = true;
      port?.postMessage({ t: 'stop' });
    },
    goOn: () => {
      isStopped.value = false;
      port?.postMessage({ t: 'go-on' });
    },
    dispose: () => {
      disposed = true;
      scope.dispose();
      port?.terminate();
    },
  };
}
