/*
 * The entry of a trace's worker: binds the messages of the page to a trace worker. The page terminates it with the
 * trace.
 */
import type { FromWorker, ToWorker } from '../base/messages.ts';
import { transferables } from '../base/transfer.ts';
import { createTraceWorker } from './trace_worker.ts';

/** The global scope of a worker. The DOM types describe the page's scope only. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer: Transferable[]): void;
};

const worker = createTraceWorker((message) => page.postMessage(message, transferables(message)));
page.onmessage = ({ data }) => worker.handle(data);
