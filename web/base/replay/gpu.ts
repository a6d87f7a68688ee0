/*
 * What a replay asks of WebGL2. The worker of the replay does so on an `OffscreenCanvas` of its own, or through a port
 * (`port.ts`) on a canvas of the page, where a browser has no WebGL2 in workers.
 */

import { LOST } from '../replay_protocol.ts';
import { createCopies } from './copies.ts';
import { createReplayGl, type Refused } from './gl.ts';
import { createPace } from './pace.ts';
import type { Failure } from './programs.ts';
import type { Size } from './reading.ts';
import type { Cut, Touched, Watch } from './views.ts';

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

/** Pixels: four bytes each, from the lower left. */
export type Read = Uint8ClampedArray<ArrayBuffer> | null;

/**
 * WebGL2, for one replay. What is asked is done in the order in which it was asked. A method that waits for the GPU rejects with
 * {@link LOST} if that has given up.
 */
export interface ReplayGpu {
  /** Hears of each portion of the commands that the GPU has done. */
  onportion: (() => void) | null;
  /**
   * Ends {@link ReplayGpu.run} before its next portion: the latest one that was asked, or the one of this number. It is not put in order with
   * what else was asked.
   */
  interrupt(run?: number): void;
  /** Gives the context up, once the GPU has done what it has begun. Nothing is to be asked afterwards. */
  end(): Promise<void>;
  /** The name of the driver. */
  renderer(): Promise<string>;
  /** Deletes all objects but programs that may be used again, and textures that are `kept`: number and binding of each. */
  reset(kept: Uint32Array<ArrayBuffer>): Promise<void>;
  /** Watches draws from now on, or none. */
  watch(watch: Watch | null): Promise<void>;
  /**
   * Executes commands, portion by portion, and waits until the GPU has done all but the last one, so that it always has something to do. It
   * waits for this, too, if loops of shaders may have to be stopped. Without commands everything is done then. `isChecked`: WebGL2 is asked
   * after each whether it has refused it.
   */
  run(words: Uint32Array<ArrayBuffer>, bytes: Uint8Array<ArrayBuffer>, isChecked: boolean): Promise<Ran>;
  /** Copies surfaces, five numbers each, under the number of a call. Resolves with false if WebGL2 refuses to. */
  copy(call: number, surfaces: Uint32Array<ArrayBuffer>): Promise<boolean>;
  /** Gives surfaces the content of their copies. */
  putBack(call: number): Promise<void>;
  /** Deletes copies. */
  drop(calls: readonly number[]): Promise<void>;
  /** Reads the colours of a framebuffer. */
  colors(framebuffer: number, size: Size): Promise<Read>;
  /** Reads colours, made smaller. */
  small(framebuffer: number, from: Size, to: Size): Promise<Read>;
  /** Reads depths: 24 bits in three bytes. Resolves with null if there are none that can be read. */
  depths(framebuffer: number, size: Size): Promise<Read>;
  /** Whether the framebuffer whose draws are counted has numbers yet: a draw or clear has come. */
  counted(): Promise<boolean>;
  /** What touched the pixel that is watched. */
  touches(): Promise<Touched>;
  /** Programs that failed since the last time. */
  failures(): Promise<Failure[]>;
}

/** Names of drivers that draw without a GPU. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
/** What a replay needs of a context. */
const ATTRIBUTES = { antialias: false, depth: false, powerPreference: 'high-performance' } as const;

/** Whether this driver draws without a GPU. */
export function isSoftware(renderer: string): boolean {
  return SOFTWARE.test(renderer);
}

/**
 * WebGL2 on a canvas. Returns null if it has none. `turnMs`: milliseconds after which other tasks of the thread have their turn;
 * infinite for a thread that has no others.
 */
export function createReplayGpu(canvas: OffscreenCanvas | HTMLCanvasElement, turnMs: number): ReplayGpu | null {
  const gl = canvas.getContext('webgl2', ATTRIBUTES) as WebGL2RenderingContext | null;
  if (!gl) return null;
  const renderer = rendererOf(gl);
  const hasTurns = turnMs !== Number.POSITIVE_INFINITY;
  const pace = createPace(isSoftware(renderer));
  const machine = createReplayGl(gl, isSoftware(renderer), hasTurns ? breath : null, pace);
  const { programs, views, reading } = machine;
  const copies = createCopies(gl, machine.now, machine.objects);
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
    const done = finish(gl);
    return async () => {
      await done();
      const now = performance.now();
      pace.took(portion, now - Math.max(endedAt, doneAt));
      doneAt = now;
      gpu.onportion?.();
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
    // Any question would block the thread until the GPU has done what was sent before.
    if (hasTurns) await next(true);
    while (gl.getError() !== gl.NO_ERROR && !gl.isContextLost());
    let within: number | null = null;
    for (const wait of machine.run(words, bytes, isChecked, turnMs)) {
      await next(hasTurns || wait === 'alone');
      if (hasTurns) {
        await programs.compiled();
        views.settle();
      }
      if (run > interrupted) continue;
      within = machine.call();
      break;
    }
    // Before the GPU is waited for: drivers may report errors afterwards that are about no command.
    if (hasTurns) await next(true);
    const hasErrors = !isChecked && gl.getError() !== gl.NO_ERROR;
    await next(words.length === 0 || within !== null || views.isAsking());
    if (hasTurns) views.settle();
    return { interrupted: within, hasErrors, refused: machine.takeRefused(), cut: views.takeCut() };
  };
  const gpu: ReplayGpu = {
    onportion: null,
    interrupt: (run = runs) => {
      interrupted = Math.max(interrupted, run);
    },
    end: async () => {
      isEnded = true;
      gpu.interrupt();
      await running.catch(() => undefined);
      await next(true).catch(() => undefined);
      gl.getExtension('WEBGL_lose_context')?.loseContext();
    },
    renderer: async () => renderer,
    reset: async (kept) => machine.reset(kept),
    watch: async (watch) => {
      views.watch = watch;
    },
    run: async (words, bytes, isChecked) => {
      if (isEnded) throw LOST;
      runs += 1;
      const ran = execute(words, bytes, isChecked);
      running = ran;
      return ran;
    },
    copy: async (call, surfaces) => copies.make(call, surfaces),
    putBack: async (call) => copies.put(call),
    drop: async (calls) => copies.drop(calls),
    colors: async (framebuffer, size) => alive(await reading.colors(framebuffer, size)),
    small: async (framebuffer, from, to) => alive(await reading.small(framebuffer, from, to)),
    depths: async (framebuffer, size) => alive(await reading.depths(framebuffer, size)),
    counted: async () => views.isCounting(),
    touches: async () => views.touches(),
    failures: async () => programs.takeFailures(),
  };
  return gpu;
}

/** WebGL2 of this worker. null where a browser has none in workers. */
export function ownGpu(): ReplayGpu | null {
  if (typeof OffscreenCanvas === 'undefined') return null;
  return createReplayGpu(new OffscreenCanvas(1, 1), Number.POSITIVE_INFINITY);
}

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
function finish(gl: WebGL2RenderingContext): () => Promise<void> {
  const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
  return async () => {
    for (let tries = 0; sync && gl.getSyncParameter(sync, gl.SYNC_STATUS) !== gl.SIGNALED; tries += 1) {
      if (gl.isContextLost()) break;
      await (tries < 40 ? breath() : new Promise((resolve) => setTimeout(resolve, 4)));
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
