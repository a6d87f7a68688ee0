/*
 * The worker of one trace's survey. It is never reset: the page terminates it with the trace.
 */

import { callByName, methods } from '../base/remote.ts';
import {
  type CallsFile,
  MEASURES,
  type Surveying,
  type SurveyNews,
  type SurveyQuestions,
  type TimesRead,
} from '../base/survey_protocol.ts';
import { createBuilding } from './building.ts';
import { loadDecompressors } from './decompressors.ts';
import { startReader } from './loading.ts';
import { RecordFile, STEP_BYTES } from './record_file.ts';
import { serveToPage } from './serving.ts';
import init, { provideDecompressors, Survey } from './wasm/unspool_survey.js';

/** Bytes of a file of times that are read at once. */
const PORTION = 8 << 20;

/** Minimum time between two reports: with frames, they are a few hundred kilobytes. */
const REPORT_MS = 250;

const load = startReader(() => init());

/** The questions that are passed on to the survey. */
type Asked = Omit<SurveyQuestions, 'times' | 'timedCalls' | 'weights'>;

/** A survey without a file. */
export function createSurveying(): Surveying {
  let file: RecordFile | null = null;
  /** The last file of times: the next one waits for it. */
  let reading: Promise<unknown> = Promise.resolve();
  const newsOf = (open: Survey, hasResources: boolean): SurveyNews => {
    const progress = { done: open.done(), of: open.pieces() };
    return { progress, frames: open.frames(), resources: hasResources ? open.resources() : null };
  };
  const building = createBuilding<Survey, CallsFile, SurveyNews>({
    open: async ({ file: blob, records }) => {
      await load();
      file = new RecordFile(blob);
      const opened = new Survey(records, file);
      if (opened.needsDecompressor()) await loadDecompressors(provideDecompressors);
      return opened;
    },
    turn: (open) => {
      const of = open.pieces();
      const size = file?.size ?? STEP_BYTES;
      // A turn is a few megabytes of the file, and never a large share of the trace.
      const isDone = open.step(Math.max(1, Math.round(Math.min(of / 50, (of * STEP_BYTES) / size / 4))));
      if (file) file.at = (open.done() / Math.max(1, of)) * file.size;
      return isDone;
    },
    arrival: () => file?.arrival() ?? null,
    news: (open, { isDone, isStopped }) => newsOf(open, isDone || isStopped),
    reportMs: REPORT_MS,
  });

  const readTimes = async (open: Survey, times: Blob | null): Promise<TimesRead> => {
    let wrong = '';
    try {
      for (let at = 0; times && at < times.size; at += PORTION) {
        open.readTimes(new Uint8Array(await times.slice(at, at + PORTION).arrayBuffer()));
      }
    } catch (thrown) {
      if (!(thrown instanceof DOMException)) throw thrown;
      wrong = 'it cannot be read any more: it was changed, moved or deleted';
      // A part of the times is of no use.
      open.endTimes();
    }
    const read: TimesRead = open.endTimes();
    building.report(newsOf(open, false));
    return wrong === '' ? read : { ...read, wrong };
  };

  return methods<Surveying>((question, args) => building.answer((open: Asked) => callByName(open, question, args)), {
    ...building.turns,
    times: (times) =>
      building.answer((open) => {
        const read = reading.then(() => readTimes(open, times));
        reading = read.catch(() => undefined);
        return read;
      }),
    timedCalls: (measure, most) =>
      building.answer((open) => open.timedCalls(measure === null ? undefined : MEASURES.indexOf(measure), most)),
    weights: (measure) => building.answer((open) => open.weights(MEASURES.indexOf(measure))),
  });
}

serveToPage(createSurveying());
