import {
  type CallWeights,
  type Contexts,
  type FrameColumns,
  type FromSurvey,
  MEASURES,
  type OpenedFrame,
  type ResourceColumns,
  type ResourceEvents,
  type SurveyQuestion,
  type SurveyQuestions,
  type TextureLevel,
  type TexturePixels,
  type TimedCalls,
  type TimesRead,
  type ToSurvey,
} from '../base/survey_protocol.ts';
import { createBuilding, handles } from './building.ts';
import { loadDecompressors } from './decompressors.ts';
import { startReader } from './loading.ts';
import { RecordFile, STEP_BYTES } from './record_file.ts';
import init, { provideDecompressors, Survey } from './wasm/unspool_survey.js';

/** The worker of one trace's survey. It is never reset. */
export interface SurveyWorker {
  /** Handles a message of the page. Replies come through the `post` that the worker was created with. */
  handle(message: ToSurvey): void;
}

type Ask = Extract<ToSurvey, { t: 'ask' }>;

/** Bytes of a file of times that are read at once. */
const PORTION = 8 << 20;

/** Minimum time between two reports: with frames, they are a few hundred kilobytes. */
const REPORT_MS = 250;

const load = startReader(() => init());

/** A worker without a file; the first message opens one. `post` sends a message to the page. */
export function createSurveyWorker(post: (message: FromSurvey) => void): SurveyWorker {
  let file: RecordFile | null = null;
  /** The last file of times: the next one waits for it. */
  let reading: Promise<unknown> = Promise.resolve();
  const tell = (open: Survey, resources: ResourceColumns | null) => {
    const progress = { done: open.done(), of: open.pieces() };
    post({ t: 'surveyed', progress, frames: open.frames() as FrameColumns, resources });
  };
  const building = createBuilding<Survey>({
    turn: (open) => {
      const of = open.pieces();
      const size = file?.size ?? STEP_BYTES;
      // A turn is a few megabytes of the file, and never a large share of the trace.
      const isDone = open.step(Math.max(1, Math.round(Math.min(of / 50, (of * STEP_BYTES) / size / 4))));
      if (file) file.at = (open.done() / Math.max(1, of)) * file.size;
      return isDone;
    },
    arrival: () => file?.arrival() ?? null,
    report: (open, { isDone, isStopped }) => {
      tell(open, isDone || isStopped ? (open.resources() as ResourceColumns) : null);
    },
    reportMs: REPORT_MS,
    failed: (sentence) => post({ t: 'failed', sentence }),
  });
  const opening = async ({ file: blob, records }: Extract<ToSurvey, { t: 'open' }>) => {
    await load();
    file = new RecordFile(blob);
    const opened = new Survey(records, file);
    if (opened.needsDecompressor()) await loadDecompressors(provideDecompressors);
    return opened;
  };

  const readTimes = async (open: Survey, times: Blob | null) => {
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
    const read = open.endTimes() as TimesRead;
    tell(open, null);
    return wrong === '' ? read : { ...read, wrong };
  };

  type Answer = SurveyQuestions[SurveyQuestion]['answer'];
  const answerTo = (open: Survey, ask: Ask): Answer | Promise<Answer> => {
    switch (ask.about) {
      case 'used':
        return open.used(ask.first, ask.last);
      case 'frame':
        return open.openFrame(ask.frame) as OpenedFrame;
      case 'times': {
        const read = reading.then(() => readTimes(open, ask.file));
        reading = read.catch(() => undefined);
        return read;
      }
      case 'contexts':
        return open.contexts() as Contexts;
      case 'timesOf':
        return open.timesOf(ask.call);
      case 'timedCalls': {
        const measure = ask.measure === null ? undefined : MEASURES.indexOf(ask.measure);
        return open.timedCalls(measure, ask.most) as TimedCalls;
      }
      case 'weights':
        return open.weights(MEASURES.indexOf(ask.measure)) as CallWeights;
      case 'events':
        return open.events(ask.resource) as ResourceEvents;
      case 'texture':
        return open.texture(ask.resource, ask.level, ask.call) as TextureLevel;
      case 'pixels':
        return open.pixels(ask.slice, ask.mask, ask.low ?? undefined, ask.high ?? undefined) as TexturePixels | null;
      case 'texel':
        return open.texel(ask.x, ask.y, ask.slice);
      case 'buffer':
        return open.buffer(ask.resource, ask.call);
      case 'namedBuffer':
        return open.namedBuffer(ask.name, ask.sized ?? undefined, ask.call);
      case 'blob':
        return open.blob(ask.call);
      case 'sources':
        return open.sources(ask.resource, ask.call) as [number, string][];
    }
  };

  return {
    handle: handles(building, opening, answerTo, ({ id }: Extract<ToSurvey, { t: 'ask' }>, answer, error) =>
      post({ t: 'answer', id, answer, error }),
    ),
  };
}
