/*
 * The entry of the worker that replays an apitrace: binds the messages of the page to it. The page terminates it with the trace.
 */
import type { FromReplay, HasCanvas, NeedsCanvas, ToReplay } from '../base/replay_protocol.ts';
import { transferables } from '../base/transfer.ts';
import { createReplayWorker } from './replay_worker.ts';

/** The global scope of a worker. The DOM types describe the page's scope only. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<ToReplay | HasCanvas>) => void) | null;
  postMessage(message: FromReplay | NeedsCanvas, transfer: Transferable[]): void;
};

const worker = createReplayWorker((message) => page.postMessage(message, transferables(message)));
page.onmessage = ({ data }) => worker.handle(data);
