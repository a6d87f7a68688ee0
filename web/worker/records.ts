/*
 * The entry of a trace's record worker: binds the messages of the page to it. The page terminates it with the trace.
 */
import type { FromRecords, ToRecords } from '../base/record_protocol.ts';
import { transferables } from '../base/transfer.ts';
import { createRecordWorker } from './record_worker.ts';

/** The global scope of a worker. The DOM types describe the page's scope only. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<ToRecords>) => void) | null;
  postMessage(message: FromRecords, transfer: Transferable[]): void;
};

const worker = createRecordWorker((message) => page.postMessage(message, transferables(message)));
page.onmessage = ({ data }) => worker.handle(data);
