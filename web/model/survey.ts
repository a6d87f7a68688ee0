import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { createScope, type Dispose } from '../base/scope.ts';
import type {
  FrameColumns,
  FromSurvey,
  ResourceColumns,
  ResourceKind,
  Surveyed,
  SurveyQuestion,
  SurveyQuestions,
  ToSurvey,
} from '../base/survey_protocol.ts';
import { watch } from '../base/watch.ts';
import { createRequests } from './requests.ts';
import type { Trace } from './trace.ts';

/** The part of `Worker` that the survey of a trace uses. Tests substitute their own. */
export interface SurveyPort {
  postMessage(message: ToSurvey, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromSurvey>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

/** What a list of resources is narrowed to. */
export interface ResourceFilter {
  readonly kind: ResourceKind | 'all';
  /** Calls of a frame, or null. */
  readonly frame: { readonly number: number; readonly first: number; readonly last: number } | null;
}

/** What the search for findings has reported. */
export type FoundInCalls = Omit<Extract<FromSurvey, { t: 'found' }>, 't'>;

/** What the calls of a trace add up to: its frames and resources. */
export interface Survey {
  /** How far it is. null before it begins. */
  readonly progress: ReadonlySignal<Surveyed | null>;
  readonly isStopped: ReadonlySignal<boolean>;
  /** Why there is no more, or ''. */
  readonly error: ReadonlySignal<string>;
  /** The frames so far. null before the first report. */
  readonly frames: ReadonlySignal<FrameColumns | null>;
  /** null until all calls were read, or the survey is stopped. */
  readonly resources: ReadonlySignal<ResourceColumns | null>;
  /** What the list of resources is narrowed to. */
  readonly filter: Signal<ResourceFilter>;
  /** Asks the worker. Resolves with null if it cannot answer. */
  ask<Q extends SurveyQuestion>(
    about: Q,
    what: SurveyQuestions[Q]['ask'],
  ): Promise<SurveyQuestions[Q]['answer'] | null>;
  /** Looks for findings, in a pass of its own. What it returns ends that. */
  find(report: (found: FoundInCalls) => void): Dispose;
  /** Stops the survey, or goes on with it. */
  stop(): void;
  goOn(): void;
  readonly dispose: Dispose;
}

const CRASHED = 'The survey of this trace ended unexpectedly. Reload the page to try again.';

/** The survey of an open trace. Begins as soon as that is read. `spawn` starts the worker. */
export function createSurvey(trace: Pick<Trace, 'recordSource' | 'status' | 'info'>, spawn: () => SurveyPort): Survey {
  const progress = signal<Surveyed | null>(null);
  const isStopped = signal(false);
  const error = signal('');
  const frames = signal<FrameColumns | null>(null);
  const resources = signal<ResourceColumns | null>(null);
  const filter = signal<ResourceFilter>({ kind: 'all', frame: null });
  const scope = createScope();
  const requests = createRequests<ToSurvey, Extract<FromSurvey, { t: 'answer' }>>((message) =>
    port?.postMessage(message),
  );
  let port: SurveyPort | null = null;
  let finder: ((found: FoundInCalls) => void) | null = null;
  let disposed = false;

  const fail = (sentence: string) => {
    error.value = sentence;
    finder?.({ progress: { done: 0, of: 1 }, isDone: true, findings: [], error: sentence });
    finder = null;
  };
  const hear = (message: FromSurvey) => {
    switch (message.t) {
      case 'failed':
        fail(message.sentence);
        return;
      case 'found':
        finder?.(message);
        if (message.isDone) finder = null;
        return;
      case 'surveyed':
        frames.value = message.frames;
        if (message.resources) resources.value = message.resources;
        progress.value = message.progress;
        return;
      case 'answer':
        requests.settle(message);
        return;
    }
  };
  const start = async () => {
    const file = await trace.recordSource.file();
    const records = await trace.recordSource.index();
    if (disposed || !file || !records) return;
    const started = spawn();
    port = started;
    started.onmessage = ({ data }) => hear(data);
    started.onerror = (event) => {
      event.preventDefault();
      fail(CRASHED);
    };
    started.onmessageerror = () => fail(CRASHED);
    started.postMessage({ t: 'open', file, records }, [records.buffer]);
    if (finder) started.postMessage({ t: 'find' });
  };
  // The index of the session says where all the pieces of the file are.
  let begun = false;
  scope.add(
    watch([trace.status], () => {
      if (begun || trace.status.peek().at !== 'ready') return;
      begun = true;
      void start();
    }),
  );
  return {
    progress,
    isStopped,
    error,
    frames,
    resources,
    filter,
    ask: async <Q extends SurveyQuestion>(about: Q, what: SurveyQuestions[Q]['ask']) => {
      if (!port) return null;
      const reply = await requests.ask('answer', (id) => ({ t: 'ask', id, about, ...what }) as ToSurvey);
      if (reply?.error) error.value = reply.error;
      return (reply?.answer ?? null) as SurveyQuestions[Q]['answer'] | null;
    },
    find: (report) => {
      if (error.peek() !== '') {
        report({ progress: { done: 0, of: 1 }, isDone: true, findings: [], error: error.peek() });
        return () => undefined;
      }
      finder = report;
      port?.postMessage({ t: 'find' });
      return () => {
        if (finder !== report) return;
        finder = null;
        port?.postMessage({ t: 'end-find' });
      };
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
      requests.end();
    },
  };
}
