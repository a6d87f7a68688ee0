import type { FindingsNews, FindsInCalls } from '../../../base/survey_protocol.ts';
import { STEP_BYTES } from '../../../trace/worker/record_file.ts';
import { GlFindings } from '../../../worker/wasm/unspool_graphics.js';
import type { CallsReading } from './calls_reading.ts';
import { loadGraphics } from './graphics_module.ts';

/** Minimum time between two reports. */
const REPORT_MS = 100;

/** The search for findings in the calls of one trace. */
export function createFindsInCalls(reading: CallsReading) {
  const { turns, end } = reading.read<GlFindings, FindingsNews>({
    load: loadGraphics,
    make: (records, file) => new GlFindings(records, file),
    turn: (open, size) => {
      const of = open.pieces();
      return open.step(Math.max(1, Math.round(Math.min(of / 50, (of * STEP_BYTES) / size))));
    },
    share: (open) => open.done() / Math.max(1, open.pieces()),
    news: (open, { isDone }) => {
      const progress = { done: open.done(), of: open.pieces() };
      return {
        progress,
        isDone,
        findings: isDone ? open.findings() : [],
        standing: isDone ? open.standingOut() : [],
      };
    },
    reportMs: REPORT_MS,
  });
  const service: FindsInCalls = turns;
  return { service, end };
}
