/*
 * The worker that looks for findings in the calls of one trace. It ends with the search.
 */

import type { CallsFile, FindingsNews, FindsInCalls } from '../base/survey_protocol.ts';
import { createBuilding } from './building.ts';
import { loadDecompressors } from './decompressors.ts';
import { startReader } from './loading.ts';
import { RecordFile, STEP_BYTES } from './record_file.ts';
import { serveToPage } from './serving.ts';
import init, { GlFindings, provideDecompressors } from './wasm/unspool_survey.js';

/** Minimum time between two reports. */
const REPORT_MS = 100;

const load = startReader(() => init());

/** A search without a file. */
export function createFindsInCalls(): FindsInCalls {
  let file: RecordFile | null = null;
  const { turns } = createBuilding<GlFindings, CallsFile, FindingsNews>({
    open: async ({ file: blob, records }) => {
      await load();
      file = new RecordFile(blob);
      const opened = new GlFindings(records, file);
      if (opened.needsDecompressor()) await loadDecompressors(provideDecompressors);
      return opened;
    },
    turn: (open) => {
      const of = open.pieces();
      const isDone = open.step(
        Math.max(1, Math.round(Math.min(of / 50, (of * STEP_BYTES) / (file?.size ?? STEP_BYTES)))),
      );
      if (file) file.at = (open.done() / Math.max(1, of)) * file.size;
      return isDone;
    },
    arrival: () => file?.arrival() ?? null,
    news: (open, { isDone }) => {
      const progress = { done: open.done(), of: open.pieces() };
      return { progress, isDone, findings: isDone ? open.findings() : [] };
    },
    reportMs: REPORT_MS,
  });
  return turns;
}

serveToPage(createFindsInCalls());
