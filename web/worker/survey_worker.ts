import type {
  FrameColumns,
  FromSurvey,
  GlFinding,
  ResourceColumns,
  ResourceEvents,
  SurveyQuestion,
  SurveyQuestions,
  TextureLevel,
  TexturePixels,
  ToSurvey,
} from '../base/survey_protocol.ts';
import { loadDecompressors } from './decompressors.ts';
import { asTraceError, isTrap } from './errors.ts';
import { startReader } from './loading.ts';
import { type PieceTurns, readInTurns } from './piece_turns.ts';
import { RecordFile } from './record_file.ts';
import { createScheduler } from './scheduler.ts';
import init, { GlFindings, provideDecompressors, Survey } from './wasm/unspool_survey.js';

/** The worker of one trace's survey. It is never reset. */
export interface SurveyWorker {
  /** Handles a message of the page. Replies come through the `post` that the worker was created with. */
  handle(message: ToSurvey): void;
}

type Ask = Extract<ToSurvey, { t: 'ask' }>;

/** Minimum time between two reports: with frames, they are a few hundred kilobytes. */
const REPORT_MS = 250;

const load = startReader(() => init());

/** A worker without a file; the first message opens one. `post` sends a message to the page. */
export function createSurveyWorker(post: (message: FromSurvey) => void): SurveyWorker {
  const scheduler = createScheduler();
  let survey: Promise<Survey> | null = null;
  let turns: PieceTurns | null = null;
  let isStopped = false;
  /** Begins the search for findings. null before a file is open. */
  let find: (() => void) | null = null;
  let finding: { readonly open: GlFindings; readonly turns: PieceTurns } | null = null;

  const sentenceOf = (thrown: unknown) => (typeof thrown === 'string' ? thrown : asTraceError(thrown).sentence);
  const failing = (tell: (sentence: string) => void) => (thrown: unknown) => {
    tell(sentenceOf(thrown));
    if (isTrap(thrown)) reportError(thrown);
  };
  const fail = failing((sentence) => post({ t: 'failed', sentence }));
  const report = (open: Survey) => {
    const progress = { done: open.done(), of: open.pieces() };
    const resources = turns?.isDone() || isStopped ? (open.resources() as ResourceColumns) : null;
    post({ t: 'surveyed', progress, frames: open.frames() as FrameColumns, resources });
  };
  const opening = async ({ file: blob, records }: Extract<ToSurvey, { t: 'open' }>) => {
    await load();
    const file = new RecordFile(blob);
    const opened = new Survey(records, file);
    if (opened.needsDecompressor()) await loadDecompressors(provideDecompressors);
    const read = () => {
      turns = readInTurns(opened, file, scheduler, { report: () => report(opened), fail, every: REPORT_MS });
    };
    find = () => {
      // The two read at different places.
      const again = new RecordFile(blob);
      const open = new GlFindings(records, again);
      const tell = (isDone: boolean, error = '') => {
        const progress = { done: open.done(), of: open.pieces() };
        const findings = isDone && error === '' ? (open.findings() as GlFinding[]) : [];
        post({ t: 'found', progress, isDone, findings, error });
        if (isDone) endFind();
      };
      const hooks = { report: tell, fail: failing((error) => tell(true, error)), every: REPORT_MS };
      finding = { open, turns: readInTurns(open, again, scheduler, hooks) };
    };
    return { opened, read };
  };
  /** Frees the memory of the search for findings: the page has what it has found. */
  const endFind = () => {
    finding?.turns.stop();
    finding?.open.free();
    finding = null;
  };

  const answerTo = (open: Survey, ask: Ask): SurveyQuestions[SurveyQuestion]['answer'] => {
    switch (ask.about) {
      case 'used':
        return open.used(ask.first, ask.last);
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
      case 'sources':
        return open.sources(ask.resource, ask.call) as [number, string][];
    }
  };
  const answer = async (ask: Ask) => {
    const { id } = ask;
    try {
      const open = await survey;
      if (open) post({ t: 'answer', id, answer: answerTo(open, ask), error: null });
    } catch (thrown) {
      post({ t: 'answer', id, answer: null, error: sentenceOf(thrown) });
      if (isTrap(thrown)) reportError(thrown);
    }
  };

  return {
    handle: (message) => {
      switch (message.t) {
        case 'open':
          survey = opening(message).then(({ opened, read }) => {
            read();
            return opened;
          });
          survey.catch(fail);
          return;
        case 'find':
          void survey?.then(
            () => find?.(),
            () => undefined,
          );
          return;
        case 'end-find':
          void survey?.then(endFind, () => undefined);
          return;
        case 'stop':
          isStopped = true;
          turns?.stop();
          void survey?.then(report, () => undefined);
          return;
        case 'go-on':
          isStopped = false;
          turns?.goOn();
          return;
        case 'ask':
          void answer(message);
          return;
      }
    },
  };
}
