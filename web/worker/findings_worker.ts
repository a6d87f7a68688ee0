import type { FromGlFindings, GlFinding, ToGlFindings } from '../base/survey_protocol.ts';
import { createBuilding } from './building.ts';
import { loadDecompressors } from './decompressors.ts';
import { startReader } from './loading.ts';
import { RecordFile, STEP_BYTES } from './record_file.ts';
import init, { GlFindings, provideDecompressors } from './wasm/unspool_survey.js';

/** The worker that looks for findings in the calls of one trace. It ends with the search. */
export interface FindingsWorker {
  /** Handles a message of the page. Replies come through the `post` that the worker was created with. */
  handle(message: ToGlFindings): void;
}

/** Minimum time between two reports. */
const REPORT_MS = 100;

const load = startReader(() => init());

/** A worker without a file; the first message opens one. `post` sends a message to the page. */
export function createFindingsWorker(post: (message: FromGlFindings) => void): FindingsWorker {
  let file: RecordFile | null = null;
  const building = createBuilding<GlFindings>({
    turn: (open) => {
      const of = open.pieces();
      const isDone = open.step(
        Math.max(1, Math.round(Math.min(of / 50, (of * STEP_BYTES) / (file?.size ?? STEP_BYTES)))),
      );
      if (file) file.at = (open.done() / Math.max(1, of)) * file.size;
      return isDone;
    },
    arrival: () => file?.arrival() ?? null,
    report: (open, { isDone }) => {
      const progress = { done: open.done(), of: open.pieces() };
      post({ t: 'found', progress, isDone, findings: isDone ? (open.findings() as GlFinding[]) : [] });
    },
    reportMs: REPORT_MS,
    failed: (sentence) => post({ t: 'failed', sentence }),
  });
  const opening = async ({ file: blob, records }: ToGlFindings) => {
    await load();
    file = new RecordFile(blob);
    const opened = new GlFindings(records, file);
    if (opened.needsDecompressor()) await loadDecompressors(provideDecompressors);
    return opened;
  };
  return { handle: (message) => building.open(opening(message)) };
}
