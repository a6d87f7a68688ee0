/*
 * The worker that writes an export. It asks the page for rows, which the trace's worker has, and reads arguments from the file. The page
 * terminates it to cancel.
 */
import type { ArgumentsFrom, FromExport, ToExport } from '../base/export_protocol.ts';
import { cleanedOf, LOOKED_AT } from './cleaned.ts';
import { loadDecompressors } from './decompressors.ts';
import { sentenceOf } from './errors.ts';
import { RecordFile, STEP_BYTES } from './record_file.ts';
import { createScratch } from './scratch.ts';
import init, { Exporter, provideDecompressors } from './wasm/unspool_export.js';

/** The global scope of a worker. The DOM types describe the page's scope only. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<ToExport>) => void) | null;
  postMessage(message: FromExport, transfer?: Transferable[]): void;
};

/** Bytes that are written at once, about. */
const PORTION = 1 << 20;
/** Rows between two looks at how many bytes there are. */
const ROWS = 4096;
/** Minimum time between two reports of progress, in ms. */
const REPORT_MS = 100;

/** The results of {@link Exporter.step}. */
const WANTS_ROWS = 1;
const DONE = 2;

let exporter: Exporter | null = null;
/** Only examples are wanted. */
let isPreview = false;
page.onmessage = ({ data }) => void hear(data);

async function hear(message: ToExport): Promise<void> {
  try {
    if (message.t === 'begin') {
      await init();
      const begun = begin(message);
      if (message.args) await collect(begun, message.args, message.preview ? LOOKED_AT : Number.POSITIVE_INFINITY);
      exporter = begun;
      isPreview = message.preview;
    }
    if (message.t === 'rows') exporter?.give(message.rows);
    if (exporter) write(exporter);
  } catch (thrown) {
    page.postMessage({ t: 'failed', sentence: `The export stopped: ${sentenceOf(thrown)}` });
  }
}

function begin({ format, name, range, wanted, clean }: Extract<ToExport, { t: 'begin' }>): Exporter {
  return new Exporter(format, name, range?.from, range?.to, wanted, clean.choices, clean.key);
}

/** Reads the arguments of records, before anything is written: of all, or of those in this many bytes of the file. */
async function collect(to: Exporter, { format, file: blob, index }: ArgumentsFrom, most: number): Promise<void> {
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
      page.postMessage({ t: 'reading', share });
    }
    await file.arrival();
  }
}

/** Writes until there is something to say. The reply of the page continues. */
function write(to: Exporter): void {
  for (;;) {
    const step = to.step(ROWS);
    if (step === WANTS_ROWS) {
      page.postMessage({ t: 'want', ask: to.ask() });
      return;
    }
    if (isPreview || (step === DONE && to.waiting() === 0)) {
      page.postMessage({ t: 'done', rows: to.done(), cleaned: cleanedOf(to) });
      return;
    }
    if (step === DONE || to.waiting() >= PORTION) {
      const bytes = to.take();
      page.postMessage({ t: 'bytes', bytes, done: to.done(), rows: to.rows() }, [bytes.buffer]);
      return;
    }
  }
}
