/* What a replay asks of WebGL2: its worker does so on an `OffscreenCanvas` of its own. */

import { LOST, STUCK, type Touched } from '../protocol.ts';
import { type Copies, createCopies } from './copies.ts';
import { createReplayGl, type Refused } from './gl.ts';
import type { Outputs } from './outputs.ts';
import { createPace } from './pace.ts';
import type { Failure } from './programs.ts';
import type { Reading } from './reading.ts';
import type { Cut, Watch } from './views.ts';

/** What commands have come to. */
export interface Ran {
  /** The call within which they were interrupted: they were not all executed. null if they were. */
  readonly interrupted: number | null;
  /** WebGL2 has refused something. Which command it was is not known, unless it was asked after each. */
  readonly hasErrors: boolean;
  /** What WebGL2 has refused, if it was asked. */
  readonly refused: readonly Refused[];
  /** Shaders whose loops were stopped. */
  readonly cut: readonly Cut[];
}

/** WebGL2, for one replay. What waits for the GPU fails with {@link LOST} if that has given up, and with {@link STUCK} if it says nothing. */
export interface ReplayGpu {
  /** The name of the driver. */
  readonly renderer: string;
  /** Copies of surfaces that were drawn to. */
  readonly copies: Copies;
  /** Captures outputs of vertices. */
  readonly outputs: Omit<Outputs, 'drawn'>;
  /** Reads framebuffers. */
  readonly reading: Omit<Reading, 'pixel'>;
  /** Is called while the GPU works: whenever it has done a portion of the commands, and now and then until then. */
  onwait: (() => void) | null;
  /** Ends the latest {@link ReplayGpu.run} before its next portion. */
  interrupt(): void;
  /** Gives the context up, once the GPU has done what it has begun. Nothing is to be asked afterwards. */
  end(): Promise<void>;
  /** Deletes all objects but programs that may be used again, and textures that are `kept`: number and binding of each. */
  reset(kept: Uint32Array): void;
  /** Watches draws from now on, or none. */
  watch(watch: Watch | null): void;
  /**
   * Executes commands, portion by portion, and waits until the GPU has done all but the last one, so that it always has something to do. It
   * waits for this, too, if loops of shaders may have to be stopped. Without commands everything is done then. `isChecked`: WebGL2 is asked
   * after each whether it has refused it.
   */
  run(words: Uint32Array<ArrayBuffer>, bytes: Uint8Array<ArrayBuffer>, isChecked: boolean): Promise<Ran>;
  /** Whether the framebuffer whose draws are counted has numbers yet: a draw or clear has come. */
  isCounting(): boolean;
  /** What touched the pixel that is watched. */
  touches(): Touched;
  /** Programs that failed since the last time. */
  takeFailures(): Failure[];
}

/** Names of drivers that draw without a GPU. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
/** What a replay needs of a context. */
const ATTRIBUTES = { antialias: false, depth: false, powerPreference: 'high-performance' } as const;

/** Whether this driver draws without a GPU. */
export function isSoftware(renderer: string): boolean {
  return softwareOf(renderer) !== '';
}

/** The part of a driver's name that says that it draws without a GPU, or ''. */
export function softwareOf(renderer: string): string {
  return SOFTWARE.exec(renderer)?.[0] ?? '';
}

/** WebGL2 on a canvas. Returns null if it has none. */
export function createReplayGpu(canvas: OffscreenCanvas): ReplayGpu | null {
  const gl = canvas.getContext('webgl2', ATTRIBUTES) as WebGL2RenderingContext | null;
  if (!gl) return null;
  const renderer = rendererOf(gl);
  const pace = createPace(isSoftware(renderer));
  const machine = createReplayGl(gl, isSoftware(renderer), pace);
  const { programs, views, outputs, reading } = machine;
  const alive = <T>(value: T): T => {
    if (gl.isContextLost()) throw LOST;
    return value;
  };
  /** Waits for the portion that was ended last. */
  let pending = DONE;
  /** When the one before it was done. */
  let doneAt = 0;
  /** How often `run` was asked, and up to which time it was interrupted. */
  let [runs, interrupted] = [0, 0];
  let isEnded = false;
  /** What is under way. */
  let running: Promise<unknown> = Promise.resolve();
  /** Ends a portion. Returns what waits for it. */
  const ended = (): (() => Promise<void>) => {
    const portion = pace.take();
    const endedAt = performance.now();
    const done = finish(gl, () => gpu.onwait?.());
    return async () => {
      await done();
      const now = performance.now();
      pace.took(portion, now - Math.max(endedAt, doneAt));
      doneAt = now;
      gpu.onwait?.();
    };
  };
  /** Ends a portion, and waits for the one before it, or for both. */
  const next = async (isAlone: boolean) => {
    const before = pending;
    pending = ended();
    await before();
    if (!isAlone) return;
    const own = pending;
    pending = DONE;
    await own();
  };
  const execute = async (
    words: Uint32Array<ArrayBuffer>,
    bytes: Uint8Array<ArrayBuffer>,
    isChecked: boolean,
  ): Promise<Ran> => {
    const run = runs;
    while (gl.getError() !== gl.NO_ERROR && !gl.isContextLost());
    let within: number | null = null;
    for (const wait of machine.run(words, bytes, isChecked)) {
      await next(wait === 'alone');
      if (run > interrupted) continue;
      within = machine.call();
      break;
    }
    // Before the GPU is waited for: drivers may report errors afterwards that are about no command.
    const hasErrors = !isChecked && gl.getError() !== gl.NO_ERROR;
    await next(words.length === 0 || within !== null || views.isAsking());
    return { interrupted: within, hasErrors, refused: machine.takeRefused(), cut: views.takeCut() };
  };
  const gpu: ReplayGpu = {
    renderer,
    copies: createCopies(gl, machine.now, machine.objects),
    outputs,
    reading: {
      colors: (framebuffer, size) => alive(reading.colors(framebuffer, size)),
      small: (framebuffer, from, to) => alive(reading.small(framebuffer, from, to)),
      depths: (framebuffer, size) => alive(reading.depths(framebuffer, size)),
      surface: (surface, slice, level) => alive(reading.surface(surface, slice, level)),
    },
    onwait: null,
    interrupt: () => {
      interrupted = runs;
    },
    end: async () => {
      isEnded = true;
      gpu.interrupt();
      await running.catch(() => undefined);
      await next(true).catch(() => undefined);
      gl.getExtension('WEBGL_lose_context')?.loseContext();
    },
    reset: machine.reset,
    watch: (watch) => {
      views.watch = watch;
    },
    run: async (words, bytes, isChecked) => {
      if (isEnded) throw LOST;
      runs += 1;
      const ran = execute(words, bytes, isChecked);
      running = ran;
      return ran;
    },
    isCounting: views.isCounting,
    touches: views.touches,
    takeFailures: programs.takeFailures,
  };
  return gpu;
}

/**
 * WebGL2 of this worker. Throws a sentence where there is none: the browser is too old, or its GPU has given up, after which some browsers
 * refuse every further context.
 */
export function ownGpu(): ReplayGpu {
  const { OffscreenCanvas: Canvas, WebGL2RenderingContext: Context } = globalThis as Partial<typeof globalThis>;
  if (!Canvas || !Context) throw TOO_OLD;
  const gpu = createReplayGpu(new Canvas(1, 1));
  if (!gpu) throw REFUSED;
  return gpu;
}

const TOO_OLD = 'Pictures need WebGL2 in workers, as in Chrome 111, Firefox 114 and Safari 17, or later.';
const REFUSED =
  'The browser gives this page no WebGL2 in workers, which pictures need. If the GPU gave up earlier, reload the page to try again.';

/** Milliseconds that the GPU may take for what it was given at once, and those that a look at it counts at most. */
const [SILENT_MS, LOOK_MS] = [20_000, 20] as const;

/** Nothing to wait for. */
const DONE = async () => {};

/** The name of the driver. */
function rendererOf(gl: WebGL2RenderingContext): string {
  const more = gl.getExtension('WEBGL_debug_renderer_info');
  return String(gl.getParameter(more ? more.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
}

/**
 * Makes the GPU begin with what was sent until now. Returns what waits until that is done. Reading pixels would wait, too, but
 * no progress would be reported then, which distinguishes a slow GPU from one that is stuck.
 */
function finish(gl: WebGL2RenderingContext, waits: () => void): () => Promise<void> {
  const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
  return async () => {
    let [silent, looked] = [0, performance.now()];
    for (let tries = 0; sync && gl.getSyncParameter(sync, gl.SYNC_STATUS) !== gl.SIGNALED; tries += 1) {
      if (gl.isContextLost()) break;
      await (tries < 40 ? breath() : new Promise((resolve) => setTimeout(resolve, 4)));
      const now = performance.now();
      // Where this worker has to wait for a turn, so has the driver: the machine is busy, and the GPU is not silent.
      silent += Math.min(now - looked, LOOK_MS);
      looked = now;
      if (silent > SILENT_MS) throw STUCK;
      waits();
    }
    gl.deleteSync(sync);
    if (gl.isContextLost()) throw LOST;
  };
}

/** Lets messages come in. */
export function breath(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const heard = new Promise<void>((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
  });
  port2.postMessage(null);
  return heard;
}
