/*
 * The worker that writes an export. It has no access to the trace: it asks the page for pages of the tables that the trace's worker
 * has. The page terminates it to cancel.
 */
import type { FromExport, ToExport } from '../base/export_protocol.ts';
import { cleanedOf } from './cleaned.ts';
import init, { Exporter } from './wasm/unspool_export.js';

/** The global scope of a worker. The DOM types describe the page's scope only. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<ToExport>) => void) | null;
  postMessage(message: FromExport, transfer?: Transferable[]): void;
};

/** Bytes that are written at once, about. */
const PORTION = 1 << 20;
/** Rows between two looks at how many bytes there are. */
const ROWS = 4096;

/** The results of {@link Exporter.step}. */
const WANTS_PAGES = 1;
const DONE = 2;
const DAMAGED = 3;

let exporter: Exporter | null = null;
/** Only examples are wanted. */
let isPreview = false;
page.onmessage = ({ data }) => void hear(data);

async function hear(message: ToExport): Promise<void> {
  try {
    if (message.t === 'begin') {
      await init();
      exporter = begin(message);
      isPreview = message.preview;
    }
    if (message.t === 'pages') exporter?.give(message.first, message.pages);
    if (exporter) write(exporter);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    page.postMessage({ t: 'failed', sentence: `The export stopped: ${reason}` });
  }
}

function begin({ format, trace, clean }: Extract<ToExport, { t: 'begin' }>): Exporter {
  return new Exporter(
    format,
    trace.name,
    trace.title,
    trace.frequency,
    trace.unit,
    trace.origin,
    trace.end,
    trace.range?.from,
    trace.range?.to,
    trace.parts,
    trace.kinds,
    [...trace.names],
    trace.numbers,
    trace.parents,
    trace.wanted,
    clean.choices,
    clean.key,
  );
}

/** Writes until there is something to say. The reply of the page continues. */
function write(to: Exporter): void {
  for (;;) {
    const step = to.step(ROWS);
    if (step === DAMAGED) {
      page.postMessage({ t: 'failed', sentence: 'The export stopped: the tables of the trace could not be read.' });
      return;
    }
    if (step === WANTS_PAGES) {
      page.postMessage({ t: 'want', first: to.wanted(), most: Exporter.atOnce() });
      return;
    }
    if (isPreview || (step === DONE && to.waiting() === 0)) {
      page.postMessage({ t: 'done', rows: to.done(), cleaned: cleanedOf(to) });
      return;
    }
    if (step === DONE || to.waiting() >= PORTION) {
      const bytes = to.take() as Uint8Array<ArrayBuffer>;
      page.postMessage({ t: 'bytes', bytes, done: to.done(), rows: to.rows() }, [bytes.buffer]);
      return;
    }
  }
}
