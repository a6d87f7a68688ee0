/*
 * The entry of the worker that indexes the steps of a trace: binds the messages of the page to it. The page terminates it with
 * the trace.
 */
import type { FromSteps, ToSteps } from '../base/steps_protocol.ts';
import { transferables } from '../base/transfer.ts';
import { createStepsWorker } from './steps_worker.ts';

/** The global scope of a worker. The DOM types describe the page's scope only. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<ToSteps>) => void) | null;
  postMessage(message: FromSteps, transfer: Transferable[]): void;
};

const worker = createStepsWorker((message) => page.postMessage(message, transferables(message)));
page.onmessage = ({ data }) => worker.handle(data);
