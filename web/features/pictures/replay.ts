import { type ReadonlySignal, signal } from '@preact/signals';
import type { Dispose } from '../../base/scope.ts';
import type { Pointed } from '../../trace/pointed.ts';
import type { Trace } from '../../trace/trace.ts';
import type {
  Coverage,
  Frames,
  FromReplay,
  Limit,
  Picture,
  PictureView,
  Refusal,
  ReplayFailure,
  ShaderFailure,
  SmallPicture,
  ToReplay,
  Touch,
} from './protocol.ts';

/** The part of `Worker` that the replay of a trace uses. Tests substitute their own. */
export interface ReplayPort {
  postMessage(message: ToReplay, transfer?: Transferable[]): void;
  /** Ends the worker once its GPU has done what it has begun. */
  terminate(): void;
  onmessage: ((event: MessageEvent<FromReplay>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

/** A picture that is shown. */
export interface ShownPicture {
  readonly call: number;
  readonly view: PictureView;
  /** null if there is nothing to see: no window, or a framebuffer without colours. */
  readonly picture: Picture | null;
}

/** The draws of a frame up to a call that touched a pixel, counted from the top left. */
export interface PixelTouches {
  readonly call: number;
  readonly x: number;
  readonly y: number;
  readonly touches: readonly Touch[];
  /** Otherwise there are more. */
  readonly isAll: boolean;
}

/** What a replay may take. */
export interface ReplayLimits {
  /** Milliseconds that the GPU may take for a picture. */
  readonly patience: number;
  /** MiB of textures and buffers. */
  readonly megabytes: number;
  /** Large traces are replayed without a GPU, too. */
  readonly isAnyway: boolean;
}

/** How far the worker is. */
export interface ReplayProgress {
  readonly what: 'looking' | 'replaying';
  readonly share: number;
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
  /** Looks at all calls, without a picture. */
  look(): void;
  /** Asks for the picture after a call. A later question replaces it: then it resolves with null. */
  ask(call: number, view: PictureView, patience?: number): Promise<ShownPicture | null>;
  /** Asks which draws touched a pixel of the picture after a call. */
  askPixel(call: number, x: number, y: number): Promise<void>;
  /** Forgets the pixel. */
  forgetPixel(): void;
  /** Wants small pictures after calls, in CSS pixels at most as large. They come one after the other when nothing else is to do. */
  want(calls: readonly number[], width: number, height: number): void;
  /** Starts over, or goes on where time was short, with a limit raised; '' for the same ones. */
  again(limit: Limit): void;
  readonly dispose: Dispose;
}

/** Milliseconds after which a worker that says nothing is ended: the GPU is stuck, and so is the worker. */
export const SILENT_MS = 4000;
/** Milliseconds until its first message: it loads its code, and the machine may be busy. */
export const START_MS = 20_000;
/** Limit for the textures and buffers of a trace, in MiB: at most, and of each GiB of the machine's memory. */
const [MEGABYTES, MEGABYTES_PER_GIB] = [512, 64] as const;
/** Milliseconds that the GPU may take for a picture. */
export const PATIENCE_MS = 4000;
/** Small pictures that are kept. */
const MOST_FILM = 2000;
/** Bytes of pictures that are kept, so that going back to one takes no replay. */
const KEPT_BYTES = 64 << 20;

const CRASHED = 'The replay ended unexpectedly. The trace may demand too much of this browser.';

/** The limit for a machine of this many GiB, as far as the browser says so. */
export function megabytesOf(gibibytes: number | undefined): number {
  return Math.min(MEGABYTES, Math.max(MEGABYTES_PER_GIB, MEGABYTES_PER_GIB * (gibibytes ?? MEGABYTES)));
}

/**
 * The replay of an open trace. Its worker starts with the first question. `spawn` starts it, once earlier ones have ended. `gibibytes`: the
 * memory of the machine, as far as the browser says so. `mostKept`: bytes of pictures that are kept.
 */
export function createReplay(
  trace: Pick<Trace, 'recordSource'>,
  spawn: () => Promise<ReplayPort>,
  gibibytes?: number,
  mostKept = KEPT_BYTES,
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
  let port: ReplayPort | null = null;
  let starting: Promise<void> | null = null;
  /** The worker has said something. */
  let isHeard = false;
  let disposed = false;
  let lastId = 0;
  /** How often a worker was ended, or what would have started one. */
  let ends = 0;
  /** The last call that the worker is known to have executed. */
  let reached = 0;
  let waiting: {
    readonly id: number;
    /** What the answer is, from its message. */
    take(message: FromReplay): void;
    end(): void;
  } | null = null;
  /** The small pictures that are on their way. */
  let filming = new Set<number>();
  /** All calls are being looked at. */
  let looking = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Pictures that were shown, by view and call, the latest last. */
  const kept = new Map<string, ShownPicture>();
  let keptBytes = 0;

  const bytesOf = ({ picture }: ShownPicture) => picture?.pixels.byteLength ?? 0;
  const keep = (key: string, it: ShownPicture) => {
    if (it.picture?.halted !== '' || kept.has(key)) return;
    kept.set(key, it);
    keptBytes += bytesOf(it);
    for (const [oldest, old] of kept) {
      if (keptBytes <= mostKept) break;
      kept.delete(oldest);
      keptBytes -= bytesOf(old);
    }
  };
  const settle = () => {
    clearTimeout(timer);
    const ended = waiting;
    waiting = null;
    progress.value = null;
    ended?.end();
    if (isAwaited()) listen();
  };
  const isAwaited = () => waiting !== null || looking || filming.size > 0;
  const end = () => {
    ends += 1;
    port?.terminate();
    [port, starting, filming, looking] = [null, null, new Set(), false];
    settle();
  };
  const fail = (sentence: string, limit: Limit = '') => {
    failure.value = { sentence, limit };
    end();
  };
  /** The worker has this long to say something. */
  const listen = () => {
    clearTimeout(timer);
    const stop = () =>
      fail(
        `The replay was stopped after call ${reached}: what follows takes longer than a few seconds on this computer. The rest of the page is not affected.`,
      );
    timer = setTimeout(stop, isHeard ? SILENT_MS : START_MS);
  };
  const hear = (message: FromReplay) => {
    isHeard = true;
    if (isAwaited()) listen();
    switch (message.t) {
      case 'coverage':
        looking = false;
        coverage.value = message.coverage;
        frames.value = message.frames;
        if (progress.peek()?.what === 'looking' && !waiting) progress.value = null;
        failures.value = [...message.coverage.shaders, ...failures.value];
        break;
      case 'progress':
        if (message.what === 'replaying') reached = message.call;
        if (waiting || message.what === 'looking') progress.value = { what: message.what, share: message.share };
        return;
      case 'failed':
        fail(message.sentence, message.limit);
        return;
      case 'film':
        filming.delete(message.call);
        pictures.set(message.call, message.picture);
        if (pictures.size > MOST_FILM) pictures.delete(pictures.keys().next().value ?? -1);
        version.value += 1;
        break;
      case 'stopped':
        return;
      case 'picture':
        if (message.failures.length > 0) failures.value = [...failures.value, ...message.failures];
        refusals.value = merged(refusals.peek(), message.refusals);
        break;
      case 'pixel':
    }
    if ((message.t === 'picture' || message.t === 'pixel') && waiting?.id === message.id) {
      waiting.take(message);
      settle();
    }
    if (!isAwaited()) clearTimeout(timer);
  };
  const start = async () => {
    const beginning = ends;
    const file = await trace.recordSource.file();
    const index = await trace.recordSource.index(true);
    if (disposed || !file || !index) return;
    const started = await spawn();
    if (disposed || beginning !== ends) return started.terminate();
    port = started;
    isHeard = false;
    reached = 0;
    started.onmessage = ({ data }) => {
      if (port === started) hear(data);
    };
    started.onerror = (event) => {
      event.preventDefault();
      if (port === started) fail(CRASHED);
    };
    started.onmessageerror = () => fail(CRASHED);
    const { megabytes, isAnyway } = limits.peek();
    started.postMessage({ t: 'open', file, index, megabytes, isAnyway }, [index.buffer]);
  };
  const begin = (): Promise<void> => {
    starting ??= start().catch(() => fail(CRASHED));
    return starting;
  };
  /** Asks, and resolves when there is an answer, another question, or an error. */
  const put = async (make: (id: number) => ToReplay, take: (message: FromReplay) => void): Promise<void> => {
    if (failure.peek() || disposed) return;
    waiting?.end();
    lastId += 1;
    const id = lastId;
    const promise = new Promise<void>((resolve) => {
      waiting = { id, take, end: resolve };
    });
    progress.value ??= { what: 'replaying', share: 0 };
    await begin();
    if (waiting?.id === id) {
      if (!port) settle();
      else {
        listen();
        port.postMessage(make(id));
      }
    }
    return promise;
  };
  return {
    shown,
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
      if (frames.peek() || failure.peek() || disposed) return;
      // The trace may still be being read.
      progress.value ??= { what: 'looking', share: 0 };
      void begin().then(() => {
        if (!port || frames.peek()) {
          if (!waiting) progress.value = null;
          return;
        }
        looking = true;
        listen();
        port.postMessage({ t: 'look' });
      });
    },
    ask: async (call, view, patience = limits.peek().patience) => {
      const key = `${view} ${call}`;
      const known = kept.get(key);
      if (known) {
        settle();
        shown.value = known;
        return known;
      }
      let answer: ShownPicture | null = null;
      await put(
        (id) => ({ t: 'picture', id, call, view, patience }),
        (message) => {
          if (message.t !== 'picture') return;
          answer = { call, view, picture: message.picture };
          shown.value = answer;
          keep(key, answer);
        },
      );
      return answer;
    },
    askPixel: async (call, x, y) => {
      await put(
        (id) => ({ t: 'pixel', id, call, x, y, patience: limits.peek().patience }),
        (message) => {
          if (message.t === 'pixel') touches.value = { call, x, y, touches: message.touches, isAll: message.isAll };
        },
      );
    },
    forgetPixel: () => {
      touches.value = null;
    },
    want: (calls, width, height) => {
      const missing = calls.filter((call) => !pictures.has(call));
      // Nothing is replayed for small pictures alone.
      if (!port || !frames.peek() || (missing.length === 0 && filming.size === 0)) return;
      filming = new Set(missing);
      if (missing.length > 0 && !waiting) listen();
      else if (!isAwaited()) clearTimeout(timer);
      port.postMessage({ t: 'film', calls: missing, width, height });
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

/** Refusals with further ones, each once, by call. */
function merged(known: readonly Refusal[], more: readonly Refusal[]): readonly Refusal[] {
  const isNew = more.filter(
    (one, i) => ![...known, ...more.slice(0, i)].some(({ call, what }) => call === one.call && what === one.what),
  );
  return isNew.length === 0 ? known : [...known, ...isNew].sort((a, b) => a.call - b.call);
}

/**
 * The call after which the picture shows a selected place. A call is that itself. Of anything longer it is the last swap within, or else the
 * last call: what the place has at its end. `frames` may be unknown yet.
 */
export function pictureCall(place: Pick<Pointed, 'start' | 'end'>, isCall: boolean, frames: Frames | null): number {
  const [start, end] = [Number(place.start), Number(place.end ?? place.start)];
  if (isCall || end <= start) return start;
  // The end is the first call after the place.
  const swap = frames?.to.findLast((to) => to >= start && to < end);
  return swap ?? end - 1;
}

/** The frame with the most draws. */
export function heaviest({ draws }: Frames): number {
  let best = 0;
  for (let i = 1; i < draws.length; i += 1) if ((draws[i] ?? 0) > (draws[best] ?? 0)) best = i;
  return best;
}

/** The calls that draw within a frame, ascending. */
export function drawsOf({ drawCalls }: Coverage, { from, to }: Frames, frame: number): number[] {
  const [first, last] = [from[frame] ?? 0, to[frame] ?? 0];
  return [...drawCalls.filter((call) => call >= first && call <= last)].sort((a, b) => a - b);
}

/** Why draws cannot be shown as in the trace, by call: those that are left out, refused or cut. */
export function remarksOf(coverage: Coverage, refusals: readonly Refusal[]): ReadonlyMap<number, string> {
  const remarks = new Map<number, string>();
  coverage.calls.forEach((call, i) => {
    const reason = coverage.reasons[coverage.why[i] ?? 0]?.reason ?? '';
    if (!remarks.has(call)) remarks.set(call, `Not in the picture: ${reason}`);
  });
  for (const { call, what } of refusals)
    if (!remarks.has(call)) remarks.set(call, `Not shown as in the trace: ${what}`);
  return remarks;
}
