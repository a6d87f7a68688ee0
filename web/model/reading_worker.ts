import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { createScope, type Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import { createRequests } from './requests.ts';
import type { Trace } from './trace.ts';

/** The part of `Worker` that is used. Tests substitute their own. */
export interface Port<To, From> {
  postMessage(message: To, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<From>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

/** The answer to a question. */
interface AnyAnswer {
  readonly t: 'answer';
  readonly id: number;
  readonly error: string | null;
}
/** There is nothing, or no more. */
interface Failed {
  readonly t: 'failed';
  readonly sentence: string;
}
/** The answers of a protocol. */
export type AnswerOf<From> = Extract<From, { readonly t: 'answer' }>;
/** What else a worker says of itself. */
export type NewsOf<From> = Exclude<From, { readonly t: 'answer' | 'failed' }>;

/** A worker that reads an open trace again, from its beginning to its end, and answers questions meanwhile. */
export interface ReadingWorker<To, Answer> {
  /** Why it does not go on, or ''. */
  readonly error: Signal<string>;
  readonly isStopped: ReadonlySignal<boolean>;
  isDisposed(): boolean;
  /** Asks a question. Resolves with null before it has begun, and if it ends. The error of an answer becomes that of the worker. */
  ask(message: (id: number) => To): Promise<Answer | null>;
  /** Stops the reading after its turn, or goes on with it. */
  stop(): void;
  goOn(): void;
  readonly dispose: Dispose;
}

/** What differs between workers of this kind. */
export interface Reading<To, News, Answer> {
  /** Starts the worker. */
  spawn(): Port<To, News | Answer | Failed>;
  /** Makes the first message, with what it transfers. Resolves with null if the worker cannot begin: the trace's own has ended. */
  open(): Promise<readonly [To, Transferable[]] | null>;
  /** The worker has begun. */
  begun?(): void;
  hear(news: News): void;
  /** The sentence for a worker that ended. */
  readonly crashed: string;
}

/** A worker that starts as soon as the trace is read: only then is it known where all the pieces of the file are. */
export function createReadingWorker<To, News extends { readonly t: string }, Answer extends AnyAnswer>(
  trace: Pick<Trace, 'status'>,
  { spawn, open, begun, hear, crashed }: Reading<To, News, Answer>,
): ReadingWorker<To, Answer> {
  type Said = News | Answer | Failed;
  const error = signal('');
  const isStopped = signal(false);
  const scope = createScope();
  const requests = createRequests<To, Answer>((message) => port?.postMessage(message));
  let port: Port<To, Said> | null = null;
  let disposed = false;

  const listen = ({ data }: MessageEvent<Said>) => {
    if (data.t === 'answer') requests.settle(data as Answer);
    else if (data.t === 'failed') error.value = (data as Failed).sentence;
    else hear(data as News);
  };
  const crash = () => {
    error.value = crashed;
    requests.end();
  };
  const start = async () => {
    const opening = await open().catch(() => null);
    if (disposed) return;
    if (!opening) {
      crash();
      return;
    }
    const started = spawn();
    port = started;
    started.onmessage = listen;
    started.onerror = (event) => {
      event.preventDefault();
      crash();
    };
    started.onmessageerror = crash;
    started.postMessage(...opening);
    begun?.();
  };
  let isBegun = false;
  scope.add(
    watch([trace.status], () => {
      if (isBegun || trace.status.peek().at !== 'ready') return;
      isBegun = true;
      void start();
    }),
  );
  return {
    error,
    isStopped,
    isDisposed: () => disposed,
    ask: async (message) => {
      if (!port) return null;
      const reply: Answer | null = await requests.ask('answer', message);
      if (reply?.error && !disposed) error.value = reply.error;
      return reply;
    },
    stop: () => {
      isStopped.value = true;
      port?.postMessage({ t: 'stop' } as To);
    },
    goOn: () => {
      isStopped.value = false;
      port?.postMessage({ t: 'go-on' } as To);
    },
    dispose: () => {
      disposed = true;
      scope.dispose();
      port?.terminate();
      requests.end();
    },
  };
}
