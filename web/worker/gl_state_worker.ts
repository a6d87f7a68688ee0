import type { FromGlState, GlState, ToGlState } from '../base/gl_state_protocol.ts';
import { loadDecompressors } from './decompressors.ts';
import { asTraceError, isTrap } from './errors.ts';
import { startReader } from './loading.ts';
import { type PieceTurns, readInTurns } from './piece_turns.ts';
import { RecordFile } from './record_file.ts';
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
  let turns: PieceTurns | null = null;

  const sentenceOf = (thrown: unknown) => (typeof thrown === 'string' ? thrown : asTraceError(thrown).sentence);
  const fail = (thrown: unknown) => {
    post({ t: 'failed', sentence: sentenceOf(thrown) });
    if (isTrap(thrown)) reportError(thrown);
  };
  const report = (open: GlHistory) => {
    const [built = 0, count = 0, , , , full = 0] = open.progress();
    post({ t: 'built', built, count, done: turns?.isDone() ?? false, full: full > 0 });
  };
  const build = (open: GlHistory, file: RecordFile) => {
    const reader = {
      step: (pieces: number) => open.build(Math.min(MOST_PIECES, pieces)),
      pieces: () => open.progress()[3] ?? 0,
      done: () => open.progress()[2] ?? 0,
    };
    turns = readInTurns(reader, file, scheduler, { report: () => report(open), fail, every: REPORT_MS });
  };
  const opening = async ({ file: blob, format, records }: Extract<ToGlState, { t: 'open' }>) => {
    await load();
    const file = new RecordFile(blob);
    const opened = new GlHistory(format, records, file, MOST_BYTES);
    if (opened.needsDecompressor()) await loadDecompressors(provideDecompressors);
    return { opened, file };
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
          history = opening(message).then(({ opened, file }) => {
            build(opened, file);
            return opened;
          });
          history.catch(fail);
          return;
        case 'stop':
          turns?.stop();
          void history?.then(report, () => undefined);
          return;
        case 'go-on':
          turns?.goOn();
          return;
        case 'ask':
          void answer(message);
          return;
      }
    },
  };
}
