/*
 * The entry of the worker that looks for findings: binds the messages of the page to it. The page terminates it with
 * the search.
 */
import type { FromGlFindings, ToGlFindings } from '../base/survey_protocol.ts';
import { transferables } from '../base/transfer.ts';
import { createFindingsWorker } from './findings_worker.ts';

/** The global scope of a worker. The DOM types describe the page's scope only. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<ToGlFindings>) => void) | null;
  postMessage(message: FromGlFindings, transfer: Transferable[]): void;
};

const worker = createFindingsWorker((message) => page.postMessage(message, transferables(message)));
page.onmessage = ({ data }) => worker.handle(data);
