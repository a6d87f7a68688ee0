/*
 * The worker that writes a part of a trace as a trace of its own. It reads the file itself, once and in portions. The page terminates
 * it to cancel.
 */

import type { CutJob, Writer, WrittenFile, WrittenPortion } from '../../../base/export_protocol.ts';
import { loadDecompressors } from '../../../trace/worker/decompressors.ts';
import { sentenceOf } from '../../../trace/worker/errors.ts';
import { serveToPage } from '../../../trace/worker/serving.ts';
import init, { Cutter, cutNeedsDecompressor, provideDecompressors } from '../../../worker/wasm/unspool_cut.js';
import { cleanedOf, LOOKED_AT } from './cleaned.ts';

/** Bytes that are read at once. */
const PORTION = 1 << 20;
/** Bytes at both ends by which a format is recognised. */
const END = 64 * 1024;

let written: WrittenFile | null = null;

async function* write({ file, from, to, only, texts, clean, preview }: CutJob): AsyncGenerator<WrittenPortion> {
  try {
    await init();
    const bytes = async (at: number, end: number) => new Uint8Array(await file.slice(at, end).arrayBuffer());
    const [head, tail] = await Promise.all([bytes(0, END), bytes(Math.max(0, file.size - END), file.size)]);
    // A database begins with other bytes, and no decompressor makes a trace of it.
    if (cutNeedsDecompressor(head)) await loadDecompressors(provideDecompressors);
    const cutter = new Cutter(file.size, head, tail, from, to, clean.choices, clean.key, only, texts);
    let at = 0;
    while (!cutter.done() && !(preview && at >= LOOKED_AT)) {
      const portion = await bytes(at, at + PORTION);
      at += portion.length;
      const waiting = cutter.push(portion);
      if (waiting === 0) continue;
      const taken = cutter.take();
      if (!preview) yield { bytes: taken, done: at, rows: file.size };
    }
    const [newHead, stopped] = [cutter.head(), cutter.failure()];
    written = {
      rows: cutter.records(),
      cleaned: cleanedOf(cutter),
      ...(newHead && { head: newHead }),
      ...(stopped !== undefined && { stopped }),
    };
  } catch (thrown) {
    throw `The part could not be written: ${sentenceOf(thrown)}`;
  }
}

serveToPage<Writer<CutJob>>({ write, result: () => written! });
