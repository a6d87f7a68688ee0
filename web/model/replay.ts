import { type ReadonlySignal, signal } from '@preact/signals';
import type {
  Coverage,
  Frames,
  FromReplay,
  Picture,
  PictureView,
  ShaderFailure,
  ToReplay,
} from '../base/replay_protocol.ts';
import type { Dispose } from '../base/scope.ts';
import type { Trace } from './trace.ts';

/** The part of `Worker` that the replay of a trace uses. Tests substitute their own. */
export interface ReplayPort {
  postMessage(message: ToReplay, transfer?: Transferable[]): void;
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
  /** Why there are no pictures any more, or ''. */
  readonly error: ReadonlySignal<string>;
  /** Which draws can be shown. null until all calls were looked at. */
  readonly coverage: ReadonlySignal<Coverage | null>;
  /** The frames. null until all calls were looked at. */
  readonly frames: ReadonlySignal<Frames | null>;
  /** Shaders that do not compile here, as far as they were needed. */
  readonly failures: ReadonlySignal<readonly ShaderFailure[]>;
  /** Looks at all calls, without a picture. */
  look(): void;
  /** Asks for the picture after a call. A later question replaces it: then it resolves with null. */
  ask(call: number, view: PictureView): Promise<ShownPicture | null>;
  /** Begins anew after an error. */
  retry(): void;
  readonly dispose: Dispose;
}

/** Milliseconds after which a worker that says nothing is ended: the GPU is stuck, and so is the worker. */
export const SILENT_MS = 4500;
/** Milliseconds until its first message: it loads its code, and the machine may be busy. */
export const START_MS = 20_000;
/** Limit for the textures and buffers of a trace, in MiB. */
export const MEGABYTES = 512;

const CRASHED = 'The replay ended unexpectedly. The trace may demand too much of this browser.';
const STUCK =
  'The replay was stopped: one of its draws takes longer than a few seconds on this computer. The rest of the page is not affected.';

/** The replay of an open trace. Its worker starts with the first question. `spawn` starts it. */
export function createReplay(trace: Pick<Trace, 'recordSource'>, spawn: () => ReplayPort): Replay {
  const shown = signal<ShownPicture | null>(null);
  const progress = signal<ReplayProgress | null>(null);
  const error = signal('');
  const coverage = signal<Coverage | null>(null);
  const frames = signal<Frames | null>(null);
  const failures = signal<readonly ShaderFailure[]>([]);
  let port: ReplayPort | null = null;
  let starting: Promise<void> | null = null;
  /** The worker has said something. */
  let isHeard = false;
  let disposed = false;
  let lastId = 0;
  let waiting: {
    readonly id: number;
    readonly call: number;
    readonly view: PictureView;
    resolve(it: ShownPicture | null): void;
  } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const settle = (it: ShownPicture | null) => {
    clearTimeout(timer);
    const { resolve } = waiting ?? {};
    waiting = null;
    progress.value = null;
    resolve?.(it);
  };
  const fail = (sentence: string) => {
    port?.terminate();
    port = null;
    starting = null;
    error.value = sentence;
    settle(null);
  };
  /** The worker has this long to say something. */
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => fail(STUCK), isHeard ? SILENT_MS : START_MS);
  };
  const hear = (message: FromReplay) => {
    isHeard = true;
    if (waiting) listen();
    switch (message.t) {
      case 'coverage':
        coverage.value = message.coverage;
        frames.value = message.frames;
        if (progress.peek()?.what === 'looking' && !waiting) progress.value = null;
        failures.value = [...message.coverage.shaders, ...failures.value];
        return;
      case 'progress':
        progress.value = { what: message.what, share: message.share };
        return;
      case 'failed':
        fail(message.sentence);
        return;
      case 'picture': {
        if (message.failures.length > 0) failures.value = [...failures.value, ...message.failures];
        if (waiting?.id !== message.id) return;
        const it = { call: waiting.call, view: waiting.view, picture: message.picture };
        shown.value = it;
        settle(it);
      }
    }
  };
  const start = async () => {
    const file = await trace.recordSource.file();
    const index = await trace.recordSource.index(true);
    if (disposed || !file || !index) return;
    const started = spawn();
    port = started;
    isHeard = false;
    started.onmessage = ({ data }) => {
      if (port === started) hear(data);
    };
    started.onerror = (event) => {
      event.preventDefault();
      if (port === started) fail(CRASHED);
    };
    started.onmessageerror = () => fail(CRASHED);
    started.postMessage({ t: 'open', file, index, megabytes: MEGABYTES }, [index.buffer]);
  };
  return {
    shown,
    progress,
    error,
    coverage,
    frames,
    failures,
    look: () => {
      if (frames.peek() || error.peek() !== '' || disposed) return;
      starting ??= start();
      void starting.then(() => port?.postMessage({ t: 'look' }));
    },
    ask: async (call, view) => {
      if (error.peek() !== '' || disposed) return null;
      waiting?.resolve(null);
      lastId += 1;
      const id = lastId;
      const promise = new Promise<ShownPicture | null>((resolve) => {
        waiting = { id, call, view, resolve };
      });
      progress.value ??= { what: 'replaying', share: 0 };
      starting ??= start();
      await starting;
      if (waiting?.id === id) {
        if (!port) settle(null);
        else {
          listen();
          port.postMessage({ t: 'picture', id, call, view });
        }
      }
      return promise;
    },
    retry: () => {
      error.value = '';
      shown.value = null;
    },
    dispose: () => {
      disposed = true;
      port?.terminate();
      settle(null);
    },
  };
}

/** The frame that a call belongs to, by its number; -1 if there is none. */
export function frameOf(frames: Frames, call: number): number {
  return frames.to.findIndex((to, i) => to >= call && (frames.from[i] ?? 0) <= call);
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
