/*
 * The worker of one trace's OpenGL state. It is never reset: the page terminates it with the trace.
 */

import type { GlBuilt, GlState, StateAtCalls } from '../base/gl_state_protocol.ts';
import type { CallsFile } from '../base/survey_protocol.ts';
import { createBuilding } from './building.ts';
import { loadDecompressors } from './decompressors.ts';
import { startReader } from './loading.ts';
import { RecordFile, STEP_BYTES } from './record_file.ts';
import { serveToPage } from './serving.ts';
import init, { GlHistory, provideDecompressors } from './wasm/unspool_graphics.js';

/** Minimum time between two reports. */
const REPORT_MS = 100;
/** Bytes of memory for the history: wasm has four gigabytes. */
const MOST_BYTES = 1_000_000_000;
/** Pieces of a turn: about a hundred milliseconds, so that questions are answered in between. */
const MOST_PIECES = 64;

const load = startReader(() => init());

/** The state of a trace without a file. */
export function createStateAtCalls(): StateAtCalls {
  let file: RecordFile | null = null;
  let isRehearsed = false;
  const building = createBuilding<GlHistory, CallsFile, GlBuilt>({
    open: async ({ file: blob, records }) => {
      await load();
      file = new RecordFile(blob);
      const opened = new GlHistory('apitrace', records, file, MOST_BYTES);
      if (opened.needsDecompressor()) await loadDecompressors(provideDecompressors);
      return opened;
    },
    turn: (open) => {
      const [, , , of = 1] = open.progress();
      const pieces = Math.round((of * STEP_BYTES) / (file?.size ?? STEP_BYTES));
      const isDone = open.build(Math.min(MOST_PIECES, Math.max(1, pieces)));
      const [, , done = 0] = open.progress();
      if (file) file.at = (done / Math.max(1, of)) * file.size;
      return isDone;
    },
    arrival: () => file?.arrival() ?? null,
    news: (open, { isDone }) => {
      const [built = 0, count = 0, , , , full = 0] = open.progress();
      if (isDone && !isRehearsed) {
        isRehearsed = true;
        // From now on only questions read it.
        void file?.keep().then(() => rehearse(open, built));
      }
      return { built, count, done: isDone, full: full > 0 };
    },
    reportMs: REPORT_MS,
  });
  return {
    ...building.turns,
    at: (call, before) =>
      building.answer((open): GlState | null => {
        const json = open.at(call, before);
        return json === undefined ? null : JSON.parse(json);
      }),
  };
}

/**
 * Answers a question of its own. Browsers compile code when it first runs, which would double the time of the first answers.
 */
function rehearse(open: GlHistory, built: number): void {
  try {
    open.at(Math.floor(built / 2), false);
  } catch {
    // The next question gets the error.
  }
}

serveToPage(createStateAtCalls());
