/*
 * The entry of the worker that replays an apitrace: binds the messages of the page to it. The page terminates it with the trace.
 */

import { transferables } from '../../../base/transfer.ts';
import type { FromReplay, ToReplay } from '../protocol.ts';
import { createReplayWorker } from './replay_worker.ts';

/** The global scope of a worker. The DOM types describe the page's scope only. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<ToReplay>) => void) | null;
  postMessage(message: FromReplay, transfer: Transferable[]): void;
};

const worker = createReplayWorker((message) => page.postMessage(message, transferables(message)));
page.onmessage = ({ data }) => worker.handle(data);
