import type { FromGlState, GlState, ToGlState } from '../base/gl_state_protocol.ts';
import { loadDecompressors } from './decompressors.ts';
import { asTraceError, isTrap } from './errors.ts';
import { startReader } from './loading.ts';
import { RecordFile, STEP_BYTES } from './record_file.ts';
import { createScheduler } from './scheduler.ts';
import init, { GlHistory, provideDecompressors } from './wasm/unspool_graphics.js';

/** The worker of one trace's OpenGL state. It is never reset. */
export interface GlStateWorker {
  /** Handles a message of the page. Replies come through the `post` that the worker was created with. */
  handle(message: ToGlState): void;
}

/** Minimum time between two reports. */
const REPORT_MS = 100;
/** Bytes of memory for the history: wasm has four gigabytes. */
const MOST_BYTES = 1_000_000_000;
/** Pieces of a turn: about a hundred milliseconds, so that questions are answered in between. */
const MOST_PIECES = 64;

const load = startReader(() => init());

/** A worker without a file; the first message opens one. `post` sends a message to the page. */
export function createGlStateWorker(post: (message: FromGlState) => void): GlStateWorker {
  const scheduler = createScheduler();
  let history: Promise<GlHistory> | null = null;
  let file: RecordFile | null = null;
  let isDone = false;
  let isStopped = false;
  /** Counts the times that the reading began or went on: turns of an earlier time end. */
  let run = 0;
  let reportedAt = 0;

  const sentenceOf = (thrown: unknown) => (typeof thrown === 'string' ? thrown : asTraceError(thrown).sentence);
  const fail = (thrown: unknown) => {
    isDone = true;
    post({ t: 'failed', sentence: sentenceOf(thrown) });
    if (isTrap(thrown)) reportError(thrown);
  };
  const report = (open: GlHistory) => {
    reportedAt = performance.now();
    const [built = 0, count = 0, , , , full = 0] = open.progress();
    post({ t: 'built', built, count, done: isDone, full: full > 0 });
  };
  const build = (open: GlHistory) => {
    run += 1;
    const mine = run;
    const turn = () => {
      try {
        const [, , , of = 1] = open.progress();
        const pieces = Math.round((of * STEP_BYTES) / (file?.size ?? STEP_BYTES));
        isDone = open.build(Math.min(MOST_PIECES, Math.max(1, pieces)));
        const [, , done = 0] = open.progress();
        if (file) file.at = (done / Math.max(1, of)) * file.size;
        if (isDone || performance.now() - reportedAt > REPORT_MS) report(open);
      } catch (thrown) {
        fail(thrown);
        return;
      }
      if (!isDone) void Promise.resolve(file?.arrival()).then(next);
    };
    const next = () => {
      scheduler.add('rest', () => {
        if (!isStopped && run === mine) turn();
        return false;
      });
    };
    next();
  };
  const opening = async ({ file: blob, format, records }: Extract<ToGlState, { t: 'open' }>) => {
    await load();
    file = new RecordFile(blob);
    const opened = new GlHistory(format, records, file, MOST_BYTES);
    if (opened.needsDecompressor()) await loadDecompressors(provideDecompressors);
    return opened;
  };
  const answer = async ({ id, call, before }: Extract<ToGlState, { t: 'ask' }>) => {
    try {
      const json = (await history)?.at(call, before);
      const state = json === undefined ? null : (JSON.parse(json) as GlState);
      post({ t: 'answer', id, state, error: null });
    } catch (thrown) {
      post({ t: 'answer', id, state: null, error: sentenceOf(thrown) });
      if (isTrap(thrown)) reportError(thrown);
    }
  };

  return {
    handle: (message) => {
      switch (message.t) {
        case 'open':
          history = opening(message);
          history.then(build, fail);
          return;
        case 'stop':
          isStopped = true;
          void history?.then(report, () => undefined);
          return;
        case 'go-on':
          if (!isStopped) return;
          isStopped = false;
          if (!isDone) void history?.then(build, () => undefined);
          return;
        case 'ask':
          void answer(message);
          return;
      }
    },
  };
}
