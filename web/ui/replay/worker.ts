import { type FromReplay, type HasCanvas, LOST, type NeedsCanvas, type ToReplay } from '../../base/replay_protocol.ts';
import type { Dispose } from '../../base/scope.ts';
import type { ReplayPort } from '../../model/replay.ts';
import replayWorker from '../../worker/replay.ts?worker&url';
import { startWorker } from '../workers.ts';

/** A GPU has given up a replay, of this trace or another one. */
let hasLost = false;
/** Replays that were ended have done so, and so has what they had begun on a GPU: with that of several, it would get stuck. */
let ended: Promise<unknown> = Promise.resolve();
/** Milliseconds until a worker that does not answer is ended anyway. */
const STOP_MS = 10_000;

/**
 * Starts the worker of a replay once earlier ones have ended. Where a browser has no WebGL2 in workers, the worker draws on a canvas of the
 * page. The code for that is loaded then.
 */
export async function startReplayWorker(): Promise<ReplayPort> {
  await ended;
  const worker = startWorker(replayWorker);
  let stopped = () => {};
  const hasStopped = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  let isOver = false;
  let dispose: Dispose = () => undefined;
  const lend = async () => {
    const { lendGpu } = await import('./page_gpu.ts');
    const lent = isOver ? null : lendGpu();
    if (lent) dispose = lent.dispose;
    const answer: HasCanvas = { t: 'canvas', port: lent?.port ?? null, hasLost };
    worker.postMessage(answer, lent ? [lent.port] : []);
  };
  const end = () => {
    worker.terminate();
    dispose();
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
  worker.onmessage = (event: MessageEvent<FromReplay | NeedsCanvas>) => {
    if (event.data.t === 'stopped') return end();
    hasLost ||= !isOver && event.data.t === 'failed' && event.data.sentence === LOST;
    if (event.data.t !== 'needs canvas') port.onmessage?.(event as MessageEvent<FromReplay>);
    else lend().catch(() => port.onerror?.(new ErrorEvent('error', { cancelable: true })));
  };
  worker.onerror = (event) => port.onerror?.(event);
  worker.onmessageerror = (event) => port.onmessageerror?.(event);
  return port;
}
