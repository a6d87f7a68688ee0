/*
 * The worker that writes a stretch of a trace as a trace of its own. It reads the file itself, once and in portions. The page terminates
 * it to cancel.
 */
import type { FromExport, ToCut } from '../base/export_protocol.ts';
import { cleanedOf, LOOKED_AT } from './cleaned.ts';
import { loadDecompressors } from './decompressors.ts';
import { sentenceOf } from './errors.ts';
import init, { Cutter, cutNeedsDecompressor, provideDecompressors } from './wasm/unspool_cut.js';

/** The global scope of a worker. The DOM types describe the page's scope only. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<ToCut>) => void) | null;
  postMessage(message: FromExport, transfer?: Transferable[]): void;
};

/** Bytes that are read at once. */
const PORTION = 1 << 20;
/** Bytes at both ends by which a format is recognised. */
const END = 64 * 1024;
/** Continues once the page has written what it got. */
let goOn: () => void = () => undefined;
page.onmessage = ({ data }) => {
  if (data.t === 'go') goOn();
  else void run(data).catch(fail);
};

function fail(thrown: unknown): void {
  page.postMessage({ t: 'failed', sentence: `The stretch could not be written: ${sentenceOf(thrown)}` });
}

async function run({ file, from, to, clean, preview }: Extract<ToCut, { t: 'cut' }>): Promise<void> {
  await init();
  const bytes = async (at: number, end: number) => new Uint8Array(await file.slice(at, end).arrayBuffer());
  const [head, tail] = await Promise.all([bytes(0, END), bytes(Math.max(0, file.size - END), file.size)]);
  // A database begins with other bytes, and no decompressor makes a trace of it.
  if (cutNeedsDecompressor(head)) await loadDecompressors(provideDecompressors);
  const cutter = new Cutter(file.size, head, tail, from, to, clean.choices, clean.key);
  let at = 0;
  while (!cutter.done() && !(preview && at >= LOOKED_AT)) {
    const portion = await bytes(at, at + PORTION);
    at += portion.length;
    const waiting = cutter.push(portion);
    if (waiting === 0) continue;
    const written = cutter.take();
    if (preview) continue;
    const isWritten = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    page.postMessage({ t: 'bytes', bytes: written, done: at, rows: file.size }, [written.buffer]);
    await isWritten;
  }
  const [newHead, stopped] = [cutter.head(), cutter.failure()];
  page.postMessage({
    t: 'done',
    rows: cutter.records(),
    cleaned: cleanedOf(cutter),
    ...(newHead && { head: newHead }),
    ...(stopped !== undefined && { stopped }),
  });
}
