import type { Coverage, Frames, FromReplay, Picture, ShaderFailure, ToReplay } from '../base/replay_protocol.ts';
import { loadDecompressors } from './decompressors.ts';
import { asTraceError, isTrap } from './errors.ts';
import { startReader } from './loading.ts';
import { RecordFile } from './record_file.ts';
import { createReplayGl, type ReplayGl } from './replay_gl.ts';
import init, { Player, provideDecompressors } from './wasm/unspool_replay.js';

/** The worker of the pictures of one trace. */
export interface ReplayWorker {
  /** Handles a message of the page. Replies come through the `post` that the worker was created with. */
  handle(message: ToReplay): void;
}

type Ask = Extract<ToReplay, { t: 'picture' }>;

/** Calls of a turn. Between two turns messages are heard. */
const TURN = 2000;
/** Minimum time between two reports. */
const REPORT_MS = 80;

const NO_WEBGL = 'This browser has no WebGL2 in workers, so pictures cannot be replayed.';
const LOST = 'The GPU gave up this replay. The trace may demand too much of it.';

interface Open {
  readonly player: Player;
  /** Looks at all calls, without a GPU. */
  readonly survey: Player;
  readonly gl: ReplayGl;
}

const load = startReader(() => init());

/** A worker without a file; the first message opens one. `post` sends a message to the page. */
export function createReplayWorker(post: (message: FromReplay) => void): ReplayWorker {
  let opened: Promise<Open> | null = null;
  /** The latest question; an older one ends at its next turn. */
  let latest: Ask | null = null;
  let busy = false;
  let looking: Promise<void> | null = null;
  let reportedAt = 0;

  const sentenceOf = (thrown: unknown) => (typeof thrown === 'string' ? thrown : asTraceError(thrown).sentence);
  const report = (what: 'looking' | 'replaying', share: number) => {
    if (performance.now() - reportedAt < REPORT_MS) return;
    reportedAt = performance.now();
    post({ t: 'progress', what, share: Math.min(1, share) });
  };
  const opening = async ({ file, index, megabytes }: Extract<ToReplay, { t: 'open' }>): Promise<Open> => {
    await load();
    const context =
      typeof OffscreenCanvas === 'undefined'
        ? null
        : new OffscreenCanvas(1, 1).getContext('webgl2', {
            antialias: false,
            depth: false,
            powerPreference: 'high-performance',
          });
    if (!context) throw NO_WEBGL;
    const player = new Player(index, new RecordFile(file), true, megabytes);
    post({ t: 'progress', what: 'looking', share: 0 });
    const survey = new Player(index, new RecordFile(file), false, megabytes);
    if (survey.needsDecompressor()) await loadDecompressors(provideDecompressors);
    return { player, survey, gl: createReplayGl(context) };
  };
  const look = (open: Open): Promise<void> => {
    looking ??= lookOnce(open);
    return looking;
  };
  const lookOnce = async (open: Open) => {
    const { survey } = open;
    survey.seek(Number.MAX_SAFE_INTEGER, 0);
    while (!survey.step(8 * TURN)) {
      const { at, count } = survey.progress() as { at: number; count: number };
      report('looking', at / Math.max(1, count));
      await breath();
    }
    post({ t: 'coverage', coverage: survey.verdict() as Coverage, frames: survey.frames() as Frames });
  };
  /** Executes everything up to a call. Returns false if another question came. */
  const advance = async ({ player, gl }: Open, ask: Ask, call: number, skip: number): Promise<boolean> => {
    if (player.seek(call, skip)) gl.reset();
    for (;;) {
      const done = player.step(TURN);
      const { words, bytes } = player.take() as { words: Uint32Array<ArrayBuffer>; bytes: Uint8Array<ArrayBuffer> };
      gl.run(words, bytes);
      await drawn(gl.gl);
      if (done) return true;
      const { at } = player.progress() as { at: number };
      report('replaying', at / Math.max(1, call));
      await breath();
      if (latest !== ask) return false;
    }
  };
  const take = ({ player, gl }: Open): Picture | null => {
    const target = player.target() as { framebuffer: number; width: number; height: number } | null;
    if (!target || target.width === 0) return null;
    const { width, height } = target;
    const pixels = gl.pixels(target.framebuffer, width, height);
    if (gl.gl.isContextLost()) throw LOST;
    if (!pixels) return null;
    flip(pixels, width, height);
    return { width, height, pixels, halted: player.halted, changed: null };
  };
  const picture = async (open: Open, ask: Ask): Promise<Picture | null> => {
    const { player, survey } = open;
    await look(open);
    const skip = survey.skipBefore(ask.call);
    player.wireframe(ask.view === 'wireframe');
    let before: Picture | null = null;
    if (ask.view === 'changed' && ask.call > 0) {
      if (!(await advance(open, ask, ask.call - 1, skip))) return null;
      before = take(open);
    }
    if (!(await advance(open, ask, ask.call, skip))) return null;
    const after = take(open);
    return after && ask.view === 'changed' ? compared(before, after) : after;
  };
  const failuresOf = ({ player, gl }: Open): ShaderFailure[] =>
    gl.programs.takeFailures().map(({ program, fragment, log, shown }) => {
      const shader = player.shader(program, fragment) as { call: number; source: string } | null;
      return { call: shader?.call ?? 0, source: shader?.source ?? '', log, shown };
    });
  const answer = async () => {
    if (busy) return;
    busy = true;
    try {
      const open = await opened;
      while (open && latest) {
        const ask: Ask = latest;
        const found = await picture(open, ask);
        if (latest !== ask) continue;
        latest = null;
        post({ t: 'picture', id: ask.id, picture: found, failures: failuresOf(open) });
      }
    } catch (thrown) {
      post({ t: 'failed', sentence: sentenceOf(thrown) });
      if (isTrap(thrown)) reportError(thrown);
    } finally {
      busy = false;
    }
  };

  return {
    handle: (message) => {
      if (message.t === 'open') {
        opened = opening(message);
        opened.catch((thrown) => post({ t: 'failed', sentence: sentenceOf(thrown) }));
        return;
      }
      if (message.t === 'look') {
        void opened?.then(look).catch((thrown) => post({ t: 'failed', sentence: sentenceOf(thrown) }));
        return;
      }
      latest = message;
      void answer();
    },
  };
}

/**
 * Waits until the GPU has done what it was told. Reading pixels would wait, too, but nobody would hear then that it goes on: a GPU
 * that is merely slow is told from one that is stuck by this.
 */
async function drawn(gl: WebGL2RenderingContext): Promise<void> {
  const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
  for (let tries = 0; sync && gl.getSyncParameter(sync, gl.SYNC_STATUS) !== gl.SIGNALED; tries += 1) {
    if (gl.isContextLost()) break;
    await (tries < 40 ? breath() : new Promise((resolve) => setTimeout(resolve, 4)));
  }
  gl.deleteSync(sync);
  if (gl.isContextLost()) throw LOST;
}

/** Lets messages of the page come in. */
function breath(): Promise<void> {
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

/** What differs between two pictures, with the rest pale. All of it if they are not of the same size. */
function compared(before: Picture | null, after: Picture): Picture {
  const is = new Uint32Array(after.pixels.buffer);
  const was = before?.pixels.length === after.pixels.length ? new Uint32Array(before.pixels.buffer) : null;
  let changed = 0;
  for (let i = 0; i < is.length; i += 1) {
    if (was?.[i] !== is[i]) {
      changed += 1;
      continue;
    }
    for (let c = 4 * i; c < 4 * i + 3; c += 1) after.pixels[c] = 200 + ((after.pixels[c] ?? 0) >> 3);
  }
  return { ...after, changed };
}

/** Turns a picture upside down: WebGL2 begins at the lower left. */
function flip(pixels: Uint8ClampedArray, width: number, height: number): void {
  const row = new Uint8ClampedArray(width * 4);
  for (let y = 0; y < height >> 1; y += 1) {
    const [top, bottom] = [y * width * 4, (height - 1 - y) * width * 4];
    row.set(pixels.subarray(top, top + width * 4));
    pixels.copyWithin(top, bottom, bottom + width * 4);
    pixels.set(row, bottom);
  }
}
