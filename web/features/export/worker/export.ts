/*
 * The worker that writes an export. It asks the trace's worker for rows, and reads arguments from the file. The page
 * terminates it to cancel.
 */

import type { ArgumentsFrom, ExportJob, Writer, WrittenFile, WrittenPortion } from '../../../base/export_protocol.ts';
import { connect, give, type Remote } from '../../../base/remote.ts';
import type { TraceService } from '../../../base/trace_protocol.ts';
import { loadDecompressors } from '../../../trace/worker/decompressors.ts';
import { sentenceOf } from '../../../trace/worker/errors.ts';
import { RecordFile, STEP_BYTES } from '../../../trace/worker/record_file.ts';
import { serveToPage } from '../../../trace/worker/serving.ts';
import init, { Exporter, provideDecompressors } from '../../../worker/wasm/unspool_export.js';
import { cleanedOf, LOOKED_AT } from './cleaned.ts';
import { createScratch } from './scratch.ts';

/** Bytes that are written at once, about. */
const PORTION = 1 << 20;
/** Rows between two looks at how many bytes there are. */
const ROWS = 4096;
/** Minimum time between two reports of progress, in ms. */
const REPORT_MS = 100;

/** The results of {@link Exporter.step}. */
const WANTS_ROWS = 1;
const DONE = 2;

let written: WrittenFile | null = null;

async function* write(
  job: ExportJob,
  trace: MessagePort,
  tell: (share: number) => void,
): AsyncGenerator<WrittenPortion> {
  try {
    await init();
    const { format, name, range, wanted, clean, preview } = job;
    const exporter = new Exporter(format, name, range?.from, range?.to, wanted, clean.choices, clean.key);
    if (job.args) await collect(exporter, job.args, preview ? LOOKED_AT : Number.POSITIVE_INFINITY, tell);
    yield* portions(exporter, preview, connect<TraceService>(trace).remote);
    written = { rows: exporter.done(), cleaned: cleanedOf(exporter) };
  } catch (thrown) {
    throw `The export stopped: ${sentenceOf(thrown)}`;
  }
}

/** Reads the arguments of records, before anything is written: of all, or of those in this many bytes of the file. */
async function collect(
  to: Exporter,
  { format, file: blob, index }: ArgumentsFrom,
  most: number,
  tell: (share: number) => void,
): Promise<void> {
  const file = new RecordFile(blob);
  if (to.withArguments(format, index, file, await createScratch())) await loadDecompressors(provideDecompressors);
  let toldAt = performance.now();
  for (;;) {
    const step = STEP_BYTES / Math.max(1, file.size);
    const share = to.collect(step, file.at + STEP_BYTES >= most);
    if (share >= 1) return;
    file.at = share * file.size;
    if (performance.now() - toldAt > REPORT_MS) {
      toldAt = performance.now();
      tell(share);
    }
    await file.arrival();
  }
}

/** The bytes of the file; none for a preview, which ends once the names are there. */
async function* portions(
  to: Exporter,
  preview: boolean,
  trace: Remote<Pick<TraceService, 'exportRows'>>,
): AsyncGenerator<WrittenPortion> {
  for (;;) {
    const step = to.step(ROWS);
    if (step === WANTS_ROWS) {
      const rows = await trace.exportRows(give(to.ask()));
      if (!rows) throw 'the reader of this trace has stopped.';
      to.give(rows);
    } else if (preview || (step === DONE && to.waiting() === 0)) return;
    else if (step === DONE || to.waiting() >= PORTION) {
      yield { bytes: to.take(), done: to.done(), rows: to.rows() };
    }
  }
}

serveToPage<Writer<ExportJob>>({ write, result: () => written! });
