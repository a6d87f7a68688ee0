import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { callByName, methods, type RemoteWorker } from '../base/remote.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import type { Turns } from '../base/turns.ts';
import { watch } from '../base/watch.ts';
import { type Asked, createService } from './service.ts';
import type { Trace } from './trace.ts';

/** The questions that a `T` answers, as the page asks them: null if there is no answer. */
export type Answers<T> = Asked<Omit<T, keyof Turns<unknown, unknown>>>;

/** A worker that reads an open trace again, from its beginning to its end, and answers questions meanwhile. */
export interface ReadingWorker<T> {
  /** Why it does not go on, or ''. */
  readonly error: Signal<string>;
  readonly isStopped: ReadonlySignal<boolean>;
  isDisposed(): boolean;
  /** Its questions. They resolve with null before it has begun, and if it ends. The error of an answer becomes that of the worker. */
  readonly ask: Answers<T>;
  /** Stops the reading after its turn, or goes on with it. */
  stop(): void;
  goOn(): void;
  readonly dispose: Dispose;
}

/** What differs between workers of this kind. */
export interface Reading<Opened, News> {
  /** Starts the worker. */
  spawn(): RemoteWorker;
  /** Makes what it opens. Resolves with null if the worker cannot begin: the trace's own has ended. */
  open(): Promise<Opened | null>;
  /** The worker has begun. */
  begun?(): void;
  hear(news: News): void;
  /** The sentence for a worker that ended. */
  readonly crashed: string;
}

/** A worker that starts as soon as the trace is read: only then is it known where all the pieces of the file are. */
export function createReadingWorker<T extends Turns<Opened, News>, Opened, News>(
  trace: Pick<Trace, 'status'>,
  { spawn, open, begun, hear, crashed }: Reading<Opened, News>,
): ReadingWorker<T> {
  const error = signal('');
  const isStopped = signal(false);
  const scope = createScope();
  let isReading = false;
  let disposed = false;

  const crash = () => {
    isReading = false;
    error.value = crashed;
  };
  const service = createService<Turns<Opened, News>>(spawn, crash);
  const fail = (sentence: string) => {
    error.value = sentence;
  };
  /** Calls a method. What it rejects with becomes the error, unless the worker has ended. */
  const call = async (name: string, args: readonly unknown[]) => {
    if (!isReading) return null;
    try {
      return await callByName(service.remote(), name, args);
    } catch (thrown) {
      if (isReading) fail(String(thrown));
      return null;
    }
  };
  const start = async () => {
    const what = await open().catch(() => null);
    if (disposed) return;
    if (!what) {
      crash();
      return;
    }
    isReading = true;
    void call('open', [what, hear, fail]);
    begun?.();
  };
  let isBegun = false;
  /** More than what was there when it began may have come since. */
  let wasGrowing = false;
  scope.add(
    watch([trace.status], () => {
      const status = trace.status.peek();
      if (status.at !== 'ready' || (isBegun && (!wasGrowing || status.how === 'broken'))) return;
      wasGrowing = status.how === 'growing';
      if (!isBegun) {
        isBegun = true;
        void start();
        return;
      }
      // What has grown is read again, once all that reads it has ended.
      isReading = false;
      service.end();
      error.value = '';
      isStopped.value = false;
      queueMicrotask(() => {
        if (!disposed) void start();
      });
    }),
  );
  return {
    error,
    isStopped,
    isDisposed: () => disposed,
    ask: methods<Answers<T>>(call),
    stop: () => {
      isStopped.value = true;
      void call('stop', []);
    },
    goOn: () => {
      isStopped.value = false;
      void call('goOn', []);
    },
    dispose: () => {
      disposed = true;
      isReading = false;
      scope.dispose();
      service.end();
    },
  };
}
