import type { FromGlState, GlState, ToGlState } from '../base/gl_state_protocol.ts';
import { createBuilding, handles } from './building.ts';
import { loadDecompressors } from './decompressors.ts';
import { startReader } from './loading.ts';
import { RecordFile, STEP_BYTES } from './record_file.ts';
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
  let file: RecordFile | null = null;
  let isRehearsed = false;
  const building = createBuilding<GlHistory>({
    turn: (open) => {
      const [, , , of = 1] = open.progress();
      const pieces = Math.round((of * STEP_BYTES) / (file?.size ?? STEP_BYTES));
      const isDone = open.build(Math.min(MOST_PIECES, Math.max(1, pieces)));
      const [, , done = 0] = open.progress();
      if (file) file.at = (done / Math.max(1, of)) * file.size;
      return isDone;
    },
    arrival: () => file?.arrival() ?? null,
    report: (open, { isDone }) => {
      const [built = 0, count = 0, , , , full = 0] = open.progress();
      post({ t: 'built', built, count, done: isDone, full: full > 0 });
      if (!isDone || isRehearsed) return;
      isRehearsed = true;
      // From now on only questions read it.
      void file?.keep().then(() => rehearse(open, built));
    },
    reportMs: REPORT_MS,
    failed: (sentence) => post({ t: 'failed', sentence }),
  });
  /**
   * Answers a question of its own. Browsers compile code when it first runs, which would double the time of the first answers.
   */
  const rehearse = (open: GlHistory, built: number) => {
    try {
      open.at(Math.floor(built / 2), false);
    } catch {
      // The next question gets the error.
    }
  };
  const opening = async ({ file: blob, format, records }: Extract<ToGlState, { t: 'open' }>) => {
    await load();
    file = new RecordFile(blob);
    const opened = new GlHistory(format, records, file, MOST_BYTES);
    if (opened.needsDecompressor()) await loadDecompressors(provideDecompressors);
    return opened;
  };
  const answerTo = (open: GlHistory, { call, before }: Extract<ToGlState, { t: 'ask' }>): GlState | null => {
    const json = open.at(call, before);
    return json === undefined ? null : (JSON.parse(json) as GlState);
  };

  return {
    handle: handles(building, opening, answerTo, ({ id }: Extract<ToGlState, { t: 'ask' }>, state, error) =>
      post({ t: 'answer', id, state, error }),
    ),
  };
}
