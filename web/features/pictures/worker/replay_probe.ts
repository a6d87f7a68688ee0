/*
 * An entry for tests of the worker that replays an apitrace: its first message says which shortcuts it takes, and all others are those of
 * `replay.ts`.
 */

import { transferables } from '../../../base/transfer.ts';
import type { FromReplay, Shortcuts, ToReplay } from '../protocol.ts';
import { createReplayWorker } from './replay_worker.ts';

/** The global scope of a worker. The DOM types describe the page's scope only. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: FromReplay, transfer: Transferable[]): void;
};

page.onmessage = ({ data: shortcuts }: MessageEvent<Shortcuts>) => {
  const worker = createReplayWorker((message) => page.postMessage(message, transferables(message)), shortcuts);
  page.onmessage = ({ data }: MessageEvent<ToReplay>) => worker.handle(data);
};
