import { startWorker } from '../../base/workers.ts';
import type { FromReplay, ToReplay } from './protocol.ts';
import type { ReplayPort } from './replay.ts';
import replayWorker from './worker/replay.ts?worker&url';

/** Replays that were ended have done so, and so has what they had begun on a GPU: with that of several, it would get stuck. */
let ended: Promise<unknown> = Promise.resolve();
/** Milliseconds until a worker that does not answer is ended anyway. */
const STOP_MS = 10_000;

/** Starts the worker of a replay, or another `module` that hears and sends the same messages, once earlier ones have ended. */
export async function startReplayWorker(module = replayWorker): Promise<ReplayPort> {
  await ended;
  const worker = startWorker(module);
  let stopped = () => {};
  const hasStopped = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  let isOver = false;
  const end = () => {
    worker.terminate();
    stopped();
  };
  const port: ReplayPort = {
    onmessage: null,
    onerror: null,
    onmessageerror: null,
    postMessage: (message, transfer) => worker.postMessage(message, transfer ?? []),
    terminate: () => {
      if (isOver) return;
      isOver = true;
      ended = Promise.all([ended, hasStopped]);
      worker.postMessage({ t: 'stop' } satisfies ToReplay);
      setTimeout(end, STOP_MS);
    },
  };
  worker.onmessage = (event: MessageEvent<FromReplay>) => {
    if (event.data.t === 'stopped') end();
    else port.onmessage?.(event);
  };
  worker.onerror = (event) => port.onerror?.(event);
  worker.onmessageerror = (event) => port.onmessageerror?.(event);
  return port;
}
