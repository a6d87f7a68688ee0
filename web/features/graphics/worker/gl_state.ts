import { STEP_BYTES } from '../../../trace/worker/record_file.ts';
import { GlHistory } from '../../../worker/wasm/unspool_graphics.js';
import type { GlBuilt, GlState, StateAtCalls } from '../gl_state_protocol.ts';
import type { CallsReading } from './calls_reading.ts';
import { loadGraphics } from './graphics_module.ts';

/** Minimum time between two reports. */
const REPORT_MS = 100;
/** Bytes of memory for the history: wasm has four gigabytes. */
const MOST_BYTES = 1_000_000_000;
/** Pieces of a turn: about a hundred milliseconds, so that questions are answered in between. */
const MOST_PIECES = 64;

/** The OpenGL state of one trace. */
export function createStateAtCalls(reading: CallsReading) {
  let isRehearsed = false;
  const building = reading.read<GlHistory, GlBuilt>({
    load: loadGraphics,
    make: (records, file) => new GlHistory('apitrace', records, file, MOST_BYTES),
    turn: (open, size) => {
      const [, , , of = 1] = open.progress();
      return open.build(Math.min(MOST_PIECES, Math.max(1, Math.round((of * STEP_BYTES) / size))));
    },
    share: (open) => {
      const [, , done = 0, of = 1] = open.progress();
      return done / Math.max(1, of);
    },
    news: (open, { isDone }) => {
      const [built = 0, count = 0, , , , full = 0] = open.progress();
      if (isDone && !isRehearsed) {
        isRehearsed = true;
        setTimeout(() => rehearse(open, built));
      }
      return { built, count, done: isDone, full: full > 0 };
    },
    reportMs: REPORT_MS,
  });
  const service: StateAtCalls = {
    ...building.turns,
    at: (call, before) =>
      building.answer((open): GlState | null => {
        const json = open.at(call, before);
        return json === undefined ? null : JSON.parse(json);
      }),
  };
  return { service, end: building.end };
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
