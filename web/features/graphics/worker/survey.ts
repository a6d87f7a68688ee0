import { callByName, methods } from '../../../base/remote.ts';
import {
  MEASURES,
  type Surveying,
  type SurveyNews,
  type SurveyQuestions,
  type TimesRead,
} from '../../../base/survey_protocol.ts';
import { STEP_BYTES } from '../../../trace/worker/record_file.ts';
import { Survey } from '../../../worker/wasm/unspool_graphics.js';
import type { CallsReading } from './calls_reading.ts';
import { loadGraphics } from './graphics_module.ts';

/** Bytes of a file of times that are read at once. */
const PORTION = 8 << 20;

/** Minimum time between two reports: with frames, they are a few hundred kilobytes. */
const REPORT_MS = 250;

/** The questions that are passed on to the survey. */
type Asked = Omit<SurveyQuestions, 'times' | 'timedCalls' | 'weights'>;

/** The survey of one trace. */
export function createSurveying(reading: CallsReading) {
  /** The last file of times: the next one waits for it. */
  let latest: Promise<unknown> = Promise.resolve();
  const newsOf = (open: Survey, hasResources: boolean): SurveyNews => {
    const progress = { done: open.done(), of: open.pieces() };
    return { progress, frames: open.frames(), resources: hasResources ? open.resources() : null };
  };
  const building = reading.read<Survey, SurveyNews>({
    load: loadGraphics,
    make: (records, file) => new Survey(records, file),
    turn: (open, size) => {
      const of = open.pieces();
      // A turn is a few megabytes of the file, and never a large share of the trace.
      return open.step(Math.max(1, Math.round(Math.min(of / 50, (of * STEP_BYTES) / size / 4))));
    },
    share: (open) => open.done() / Math.max(1, open.pieces()),
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

  const service = methods<Surveying>(
    (question, args) => building.answer((open: Asked) => callByName(open, question, args)),
    {
      ...building.turns,
      times: (times) =>
        building.answer((open) => {
          const read = latest.then(() => readTimes(open, times));
          latest = read.catch(() => undefined);
          return read;
        }),
      timedCalls: (measure, first, last, most) =>
        building.answer((open) =>
          open.timedCalls(measure === null ? undefined : MEASURES.indexOf(measure), first, last, most),
        ),
      weights: (measure) => building.answer((open) => open.weights(MEASURES.indexOf(measure))),
    },
  );
  return { service, end: building.end };
}
