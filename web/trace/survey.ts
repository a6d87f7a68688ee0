import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Dispose } from '../base/scope.ts';
import type {
  FrameColumns,
  OpensCalls,
  ResourceColumns,
  ResourceKind,
  Surveyed,
  Surveying,
  SurveyNews,
  TimesRead,
} from '../base/survey_protocol.ts';
import { watch } from '../base/watch.ts';
import { aboutTimes } from './call_times.ts';
import type { GraphicsWorker } from './graphics.ts';
import { type Answers, createReadingWorker } from './reading_worker.ts';
import type { Trace } from './trace.ts';

/** What a list of resources is narrowed to. */
export interface ResourceFilter {
  readonly kind: ResourceKind | 'all';
  /** Calls of a frame, or null. */
  readonly frame: { readonly number: number; readonly first: number; readonly last: number } | null;
  /** Only those that the program has generated, and not deleted. */
  readonly isLeaked: boolean;
}

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
  /** The times that the calls have, or null. */
  readonly times: ReadonlySignal<TimesRead | null>;
  /** What the list of resources is narrowed to. */
  readonly filter: Signal<ResourceFilter>;
  /** Asks the worker. */
  readonly ask: Answers<Surveying>;
  /** Stops the survey, or goes on with it. */
  stop(): void;
  goOn(): void;
  readonly dispose: Dispose;
}

/**
 * How much of a trace a survey has read: all calls, or those before it was stopped or failed; or it goes on, so that what is there changes
 * with the next report. Subscribes.
 */
export function extentOf({
  progress,
  isStopped,
  error,
}: Pick<Survey, 'progress' | 'isStopped' | 'error'>): 'all' | 'part' | 'going' {
  const at = progress.value;
  if (at && at.done === at.of) return 'all';
  return isStopped.value || error.value !== '' ? 'part' : 'going';
}

const CRASHED = 'The reader of frames and resources stopped unexpectedly. Reload the page to try again.';

/** The survey of an open trace. Begins as soon as that is read. `graphics` is the worker of its calls. */
export function createSurvey(
  trace: Pick<Trace, 'status' | 'companions' | 'attached'>,
  graphics: Pick<GraphicsWorker, 'part'>,
): Survey {
  const progress = signal<Surveyed | null>(null);
  const frames = signal<FrameColumns | null>(null);
  const resources = signal<ResourceColumns | null>(null);
  const times = signal<TimesRead | null>(null);
  const filter = signal<ResourceFilter>({ kind: 'all', frame: null, isLeaked: false });
  /** The companion whose times were asked for last, or 0. */
  let newest = 0;
  let isBegun = false;
  /** Reads the times that were added last. */
  const readTimes = async () => {
    const all = trace.companions.peek().filter(({ kind }) => kind === 'times');
    const latest = all.at(-1);
    const id = latest?.id ?? 0;
    if (!isBegun || id === newest) return;
    newest = id;
    for (const { id: companion } of all.slice(0, -1)) {
      trace.attached({ companion, sentence: `The times of ${latest!.name} are shown instead.`, wrong: false });
    }
    const read = await worker.ask.times(latest?.file ?? null);
    if (newest !== id) return;
    times.value = read && read.wrong === '' && read.calls > 0 ? read : null;
    if (latest) trace.attached({ companion: id, ...aboutTimes(read) });
  };
  const worker = createReadingWorker<Surveying, OpensCalls, SurveyNews>(trace, {
    ...graphics.part('survey'),
    hear: (surveyed) => {
      frames.value = surveyed.frames;
      if (surveyed.resources) resources.value = surveyed.resources;
      progress.value = surveyed.progress;
    },
    begun: () => {
      isBegun = true;
      void readTimes();
    },
    crashed: CRASHED,
  });
  const { error, isStopped, ask, stop, goOn } = worker;
  const unwatch = watch([trace.companions], () => void readTimes());
  return {
    progress,
    isStopped,
    error,
    frames,
    resources,
    times,
    filter,
    ask,
    stop,
    goOn,
    dispose: () => {
      unwatch();
      worker.dispose();
    },
  };
}
