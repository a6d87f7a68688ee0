import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { give, type Remote } from '../../base/remote.ts';
import type { Dispose } from '../../base/scope.ts';
import type { Trace } from '../../trace/trace.ts';
import type { FindsOutputs, OutputsFound, VerticesAsked } from '../../trace/vertex_outputs.ts';
import type { FindsWritten, WrittenAsked, WrittenFound } from '../../trace/written.ts';
import { createKept, type ShownPicture } from './kept.ts';
import { patiently } from './patient.ts';
import { heaviest, merged } from './pictured_calls.ts';
import { firstProgress, nextProgress, type ReplayProgress } from './progress.ts';
import type {
  Coverage,
  Frames,
  Limit,
  PictureView,
  Refusal,
  ReplayFailure,
  ReplayService,
  ShaderFailure,
  SmallPicture,
  Touched,
} from './protocol.ts';
import { megabytesOf, type ReplayLimits } from './replay_limits.ts';

/** The worker of a replay. Tests substitute their own. */
export interface ReplayWorker {
  readonly remote: Remote<ReplayService>;
  /** Ends the worker once its GPU has done what it has begun. */
  end(): void;
}

/** The draws of a frame up to a call that touched a pixel, counted from the top left. */
export interface PixelTouches extends Touched {
  readonly call: number;
  readonly x: number;
  readonly y: number;
}

/** The pictures of a trace. */
export interface Replay {
  /** The latest picture. That before stays until the new one arrives. */
  readonly shown: ReadonlySignal<ShownPicture | null>;
  /** null while nothing is being done. */
  readonly progress: ReadonlySignal<ReplayProgress | null>;
  /** Why there are no pictures any more. null if there are. */
  readonly failure: ReadonlySignal<ReplayFailure | null>;
  /** Which draws can be shown. null until all calls were looked at. */
  readonly coverage: ReadonlySignal<Coverage | null>;
  /** The frames. null until all calls were looked at. */
  readonly frames: ReadonlySignal<Frames | null>;
  /** Shaders that do not compile here, as far as they were needed. */
  readonly failures: ReadonlySignal<readonly ShaderFailure[]>;
  /** What WebGL2 has refused, and shaders that were stopped, by call. */
  readonly refusals: ReadonlySignal<readonly Refusal[]>;
  /** What touched the pixel that was asked about last. */
  readonly touches: ReadonlySignal<PixelTouches | null>;
  /** Small pictures after calls. The map is the same, the number changes with it. */
  readonly film: {
    readonly pictures: ReadonlyMap<number, SmallPicture | null>;
    readonly version: ReadonlySignal<number>;
  };
  /** The limits. They are others with each {@link Replay.again}: then everything is to be asked for once more. */
  readonly limits: ReadonlySignal<ReplayLimits>;
  /** Why no picture is made before the user wants one; '' while there is no reason. */
  readonly held: ReadonlySignal<string>;
  /** Makes the picture of the heaviest frame, before the user asks for one: unless that is a burden, as {@link Replay.held} says. */
  offer(): Promise<void>;
  /** The user wants pictures, whatever they take. */
  insist(): void;
  /** Looks at all calls, without a picture. */
  look(): void;
  /** Asks for the picture after a call. A later question replaces it: then it resolves with null. */
  ask(call: number, view: PictureView, patience?: number): Promise<ShownPicture | null>;
  /** Asks which draws touched a pixel of the picture after a call. */
  askPixel(call: number, x: number, y: number): Promise<void>;
  /** What the vertex shader of a draw writes, once no picture is being made. Resolves with null if there is no replay any more. */
  readonly outputs: FindsOutputs;
  /** What an object holds that draws and copies wrote, likewise. */
  readonly written: FindsWritten;
  /** Forgets the pixel. */
  forgetPixel(): void;
  /**
   * Wants small pictures after calls, in pixels at most as large, in place of those that `who` has wanted before. They come one after
   * the other when nothing else is to do.
   */
  want(calls: readonly number[], width: number, height: number, who?: string): void;
  /** Ends the picture that is being made, and shows it as it is. */
  enough(): void;
  /** Starts over, or goes on where time was short, with a limit raised; '' for the same ones. */
  again(limit: Limit): void;
  readonly dispose: Dispose;
}

/**
 * Milliseconds after which a worker that says nothing is ended: while it waits for the GPU it says so, so that a call of WebGL2 hangs. Only those
 * count in which this page had its turn every {@link TICK_MS}: otherwise the machine is busy.
 */
export const SILENT_MS = 20_000;
/** Milliseconds until its first message: it loads its code. */
const START_MS = 40_000;
/** Milliseconds from one look at the worker to the next. */
const TICK_MS = 250;
/** Milliseconds after which a picture may be ended by hand. */
export const LONG_MS = 4000;
/** Milliseconds that the GPU may take for a picture. */
export const PATIENCE_MS = 60_000;
/** Milliseconds that the worker may take until the first picture, if the user has not asked for it. */
export const OFFER_MS = 1000;
/** Small pictures that are kept. */
const MOST_FILM = 2000;
/** Bytes of pictures that are kept, so that going back to one takes no replay. */
export const KEPT_BYTES = 64 << 20;

const COSTLY = 'Pictures take longer than a moment on this computer.';
const CRASHED = 'The replay ended unexpectedly. The trace may demand too much of this browser.';

/**
 * The replay of an open trace. Its worker starts with the first question. `spawn` starts it, once earlier ones have ended; `died` is called
 * when it has an error. `gibibytes`: the memory of the machine, as far as the browser says so. `mostKept`: bytes of pictures that are kept.
 * `share`: what the file is read by, so that it is read once for all that is asked of its calls.
 */
export function createReplay(
  trace: Pick<Trace, 'recordSource'>,
  spawn: (died: () => void) => Promise<ReplayWorker>,
  gibibytes?: number,
  mostKept = KEPT_BYTES,
  share: () => Promise<MessagePort | null> = async () => null,
): Replay {
  const shown = signal<ShownPicture | null>(null);
  const progress = signal<ReplayProgress | null>(null);
  const failure = signal<ReplayFailure | null>(null);
  const coverage = signal<Coverage | null>(null);
  const frames = signal<Frames | null>(null);
  const failures = signal<readonly ShaderFailure[]>([]);
  const refusals = signal<readonly Refusal[]>([]);
  const touches = signal<PixelTouches | null>(null);
  const limits = signal<ReplayLimits>({ patience: PATIENCE_MS, megabytes: megabytesOf(gibibytes), isAnyway: false });
  const pictures = new Map<number, SmallPicture | null>();
  const version = signal(0);
  const held = signal('');
  /** Whether the user wants pictures, and whether one was made. Until then what the worker may take is limited. */
  let isAsked = false;
  let hasShown = false;
  let allowed: ReturnType<typeof setTimeout> | undefined;
  let worker: ReplayWorker | null = null;
  let starting: Promise<void> | null = null;
  /** The worker has said something. */
  let isHeard = false;
  let disposed = false;
  /** How often a worker was ended, or what would have started one. */
  let ends = 0;
  /** The last call that the worker is known to have executed. */
  let reached = 0;
  /** Ends the waiting for the latest answer, and the end of it. */
  let waiting: (() => void) | null = null;
  let answered: Promise<void> = Promise.resolve();
  /** Asks the latest question, of a worker that is started if there is none. */
  let send: (() => Promise<void>) | null = null;
  /** The small pictures that are on their way. */
  let filming = new Set<number>();
  /** What is wanted of them, by who does. */
  const wanted = new Map<string, readonly number[]>();
  /** All calls are being looked at. */
  let looking = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  /** When the latest question was asked, and what it asks. */
  let [askedAt, askedFor] = [0, ''];
  /** What the failure is about, if other questions may be answered. */
  let failed = '';
  const kept = createKept(mostKept);
  const settle = () => {
    clearInterval(timer);
    const ended = waiting;
    waiting = null;
    progress.value = null;
    ended?.();
    if (isAwaited()) listen();
  };
  const isAwaited = () => waiting !== null || looking || filming.size > 0;
  const endWorker = () => {
    ends += 1;
    clearTimeout(allowed);
    allowed = undefined;
    worker?.end();
    [worker, starting, filming, looking] = [null, null, new Set(), false];
  };
  const end = () => {
    endWorker();
    settle();
  };
  const fail = (sentence: string, limit: Limit = '', isPassing = false) => {
    failed = isPassing ? askedFor : '';
    failure.value = { sentence, limit, isPassing };
    end();
  };
  /** Nothing more is made until the user wants it. */
  const hold = (why: string) => {
    held.value = why;
    end();
  };
  /** The worker has this long to say something. */
  const listen = () => {
    clearInterval(timer);
    let left = isHeard ? SILENT_MS : START_MS;
    timer = setInterval(() => {
      left -= TICK_MS;
      if (left > 0) return;
      fail(
        `The replay was stopped after call ${reached}: nothing was heard of the GPU for ${SILENT_MS / 1000} seconds. Other pictures can still be made.`,
        '',
        true,
      );
    }, TICK_MS);
  };
  /** Takes what a worker says, unless it was ended. */
  const hear = (from: ReplayWorker, take: () => void) => {
    if (worker !== from) return;
    isHeard = true;
    if (!isAsked && !hasShown) allowed ??= setTimeout(() => hold(COSTLY), OFFER_MS);
    take();
    if (isAwaited()) listen();
    else clearInterval(timer);
  };
  const open = (file: Blob, index: Uint8Array, blocks: MessagePort | null, started: ReplayWorker) => {
    const { megabytes, isAnyway } = limits.peek();
    const wasAsked = isAsked;
    const ended = started.remote.open(
      { file, index: give(index), megabytes, isAnyway, isAsked },
      {
        coverage: (found, its) =>
          hear(started, () => {
            looking = false;
            coverage.value = found;
            frames.value = its;
            if (progress.peek()?.what === 'looking' && !waiting) progress.value = null;
            failures.value = [...found.shaders, ...failures.value];
          }),
        progress: (what, share, call) =>
          hear(started, () => {
            if (what === 'replaying') reached = call;
            const isLong = waiting !== null && performance.now() - askedAt >= LONG_MS;
            if (waiting || what === 'looking') progress.value = nextProgress(progress.peek(), { what, share, isLong });
          }),
        film: (call, picture) =>
          hear(started, () => {
            filming.delete(call);
            pictures.set(call, picture);
            if (pictures.size > MOST_FILM) pictures.delete(pictures.keys().next().value ?? -1);
            version.value += 1;
          }),
      },
      blocks,
    );
    ended.catch(({ sentence, limit, isPassing }: ReplayFailure) =>
      hear(started, () => {
        if (wasAsked || limit !== 'gpu') fail(sentence, limit, isPassing);
        else if (!isAsked) hold(sentence);
        else {
          // It was refused before the user wanted it. What they have asked since is asked again.
          endWorker();
          limits.value = { ...limits.peek() };
          if (waiting) void send?.();
        }
      }),
    );
  };
  const start = async () => {
    const beginning = ends;
    const file = await trace.recordSource.file();
    const index = await trace.recordSource.index(true);
    if (disposed || !file || !index) return;
    const blocks = await share();
    const started = await spawn(() => {
      if (worker === started) fail(CRASHED, '', true);
    });
    if (disposed || beginning !== ends) return started.end();
    worker = started;
    isHeard = false;
    reached = 0;
    open(file, index, blocks, started);
  };
  const begin = (): Promise<void> => {
    starting ??= start().catch(() => fail(CRASHED));
    return starting;
  };
  /** Asks, and resolves when there is an answer, another question, or an error. `isLatest`: no other question came. */
  const put = async <T>(
    question: (remote: Remote<ReplayService>) => Promise<T | null>,
    take: (answer: T, isLatest: boolean) => void,
  ): Promise<void> => {
    if (failure.peek() || held.peek() !== '' || disposed) return;
    waiting?.();
    answered = new Promise<void>((resolve) => {
      waiting = resolve;
    });
    const ownAnswer = answered;
    const own = waiting;
    askedAt = performance.now();
    progress.value = firstProgress(progress.peek());
    const ask = async () => {
      await begin();
      const asked = worker;
      if (waiting !== own || send !== ask) return;
      if (!asked) return settle();
      listen();
      void question(asked.remote).then((answer) => {
        if (answer === null) return;
        hear(asked, () => {
          take(answer, waiting === own);
          if (waiting === own) settle();
        });
      });
    };
    send = ask;
    await ask();
    return ownAnswer;
  };
  const show = (it: ShownPicture) => {
    hasShown = true;
    clearTimeout(allowed);
    shown.value = it;
  };
  /** The frames, once all calls were looked at; null if that is not to be. */
  const known = (): Promise<Frames | null> =>
    new Promise((resolve) => {
      const stop = effect(() => {
        const found = frames.value;
        if (!found && held.value === '' && !failure.value && !disposed) return;
        resolve(found);
        queueMicrotask(() => stop());
      });
    });
  const look = () => {
    if (frames.peek() || failure.peek() || held.peek() !== '' || disposed) return;
    // The trace may still be being read.
    progress.value ??= { what: 'looking', share: 0, isLong: false };
    void begin().then(() => {
      if (!worker || frames.peek()) {
        if (!waiting) progress.value = null;
        return;
      }
      looking = true;
      listen();
      void worker.remote.look();
    });
  };
  const ask = async (call: number, view: PictureView, patience: number): Promise<ShownPicture | null> => {
    const key = `${view} ${call}`;
    // What ended one picture does not keep others from being made.
    if (failure.peek()?.isPassing && failed !== key) failure.value = null;
    askedFor = key;
    const known = kept.get(key);
    if (known) {
      settle();
      show(known);
      return known;
    }
    let answer: ShownPicture | null = null;
    await put(
      (remote) => remote.picture(call, view, patience),
      ({ picture, failures: more, refusals: further }, isLatest) => {
        if (more.length > 0) failures.value = [...failures.value, ...more];
        refusals.value = merged(refusals.peek(), further);
        if (!isLatest) return;
        answer = { call, view, picture };
        show(answer);
        kept.keep(key, answer);
      },
    );
    return answer;
  };
  /** Asks a question that no picture answers, once no picture is being made. `key` names it. */
  const patient = <Asked extends { readonly call: number }, Found>(
    key: string,
    question: (remote: Remote<ReplayService>, asked: Asked) => Promise<Found | null>,
    none: (problem: string) => Found,
  ) =>
    patiently<Asked, Found>({
      idle: async () => {
        while (waiting) await answered;
        if (failure.peek()?.isPassing) failure.value = null;
      },
      problem: () => failure.peek()?.sentence ?? held.peek(),
      ask: async (asked) => {
        askedFor = `${key} ${asked.call}`;
        const answer: Found[] = [];
        await put(
          (remote) => question(remote, asked),
          (found) => answer.push(found),
        );
        return answer[0] ?? null;
      },
      none,
      // Without a worker there is no file to replay.
      isOver: () => disposed || !worker,
    });
  const outputs = patient<VerticesAsked, OutputsFound>(
    'outputs',
    (remote, asked) => remote.outputs(asked, limits.peek().patience),
    (problem) => ({ outputs: null, problem }),
  );
  const written = patient<WrittenAsked, WrittenFound>(
    'written',
    (remote, asked) => remote.written(asked, limits.peek().patience),
    (problem) => ({ call: null, problem, image: null, bytes: null }),
  );
  const insist = () => {
    isAsked = true;
    clearTimeout(allowed);
    held.value = '';
  };
  return {
    shown,
    held,
    offer: async () => {
      if (worker || starting) return;
      look();
      const found = await known();
      // The user may have asked for another one.
      if (!found || found.to.length === 0 || waiting || shown.peek()) return;
      await ask(found.to[heaviest(found)] ?? 0, 'color', limits.peek().patience);
    },
    insist,
    progress,
    failure,
    coverage,
    frames,
    failures,
    refusals,
    touches,
    film: { pictures, version },
    limits,
    look: () => {
      insist();
      look();
    },
    ask: (call, view, patience = limits.peek().patience) => {
      insist();
      return ask(call, view, patience);
    },
    askPixel: (call, x, y) =>
      put(
        (remote) => remote.pixel(call, x, y, limits.peek().patience),
        (touched, isLatest) => {
          if (isLatest) touches.value = { call, x, y, ...touched };
        },
      ),
    outputs: (asked) => {
      insist();
      return outputs(asked);
    },
    written: (asked) => {
      insist();
      return written(asked);
    },
    forgetPixel: () => {
      touches.value = null;
    },
    want: (calls, width, height, who = '') => {
      wanted.set(who, calls);
      const missing = [...new Set([...wanted.values()].flat())].filter((call) => !pictures.has(call));
      // Nothing is replayed for small pictures alone.
      if (!worker || !frames.peek() || (missing.length === 0 && filming.size === 0)) return;
      filming = new Set(missing);
      if (missing.length > 0 && !waiting) listen();
      else if (!isAwaited()) clearInterval(timer);
      void worker.remote.film(missing, width, height);
    },
    enough: () => {
      void worker?.remote.enough();
    },
    again: (limit) => {
      const { patience, megabytes, isAnyway } = limits.peek();
      shown.value = null;
      if (limit !== 'time') {
        end();
        [failure.value, coverage.value, frames.value] = [null, null, null];
        [failures.value, refusals.value] = [[], []];
      }
      limits.value = {
        patience: limit === 'time' ? 8 * patience : patience,
        megabytes: limit === 'bytes' ? 2 * megabytes : megabytes,
        isAnyway: isAnyway || limit === 'gpu',
      };
    },
    dispose: () => {
      disposed = true;
      end();
    },
  };
}
