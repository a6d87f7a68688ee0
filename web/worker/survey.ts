/*
 * The entry of the worker that surveys the calls of a trace: binds the messages of the page to it. The page terminates it with
 * the trace.
 */
import type { FromSurvey, ToSurvey } from '../base/survey_protocol.ts';
import { transferables } from '../base/transfer.ts';
import { createSurveyWorker } from './survey_worker.ts';

/** The global scope of a worker. The DOM types describe the page's scope only. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<ToSurvey>) => void) | null;
  postMessage(message: FromSurvey, transfer: Transferable[]): void;
};

const worker = createSurveyWorker((message) => page.postMessage(message, transferables(message)));
page.onmessage = ({ data }) => worker.handle(data);
