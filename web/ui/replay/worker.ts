import { type FromReplay, type HasCanvas, LOST, type NeedsCanvas } from '../../base/replay_protocol.ts';
import type { Dispose } from '../../base/scope.ts';
import type { ReplayPort } from '../../model/replay.ts';
import replayWorker from '../../worker/replay.ts?worker&url';
import { startWorker } from '../workers.ts';

/** A GPU has given up a replay, of this trace or another one. */
let hasLost = false;

/**
 * Starts the worker of a replay. Where a browser has no WebGL2 in workers, the worker draws on a canvas of the page. The code for that is
 * loaded then.
 */
export function startReplayWorker(): ReplayPort {
  const worker = startWorker(replayWorker);
  let isOver = false;
  let dispose: Dispose = () => undefined;
  const lend = async () => {
    const { lendGpu } = await import('./page_gpu.ts');
    if (isOver) return;
    const lent = lendGpu();
    if (lent) dispose = lent.dispose;
    const answer: HasCanvas = { t: 'canvas', port: lent?.port ?? null, hasLost };
    worker.postMessage(answer, lent ? [lent.port] : []);
  };
  const port: ReplayPort = {
    onmessage: null,
    onerror: null,
    onmessageerror: null,
    postMessage: (message, transfer) => worker.postMessage(message, transfer ?? []),
    terminate: () => {
      isOver = true;
      worker.terminate();
      dispose();
    },
  };
  worker.onmessage = (event: MessageEvent<FromReplay | NeedsCanvas>) => {
    hasLost ||= event.data.t === 'failed' && event.data.sentence === LOST;
    if (event.data.t !== 'needs canvas') port.onmessage?.(event as MessageEvent<FromReplay>);
    else lend().catch(() => port.onerror?.(new ErrorEvent('error', { cancelable: true })));
  };
  worker.onerror = (event) => port.onerror?.(event);
  worker.onmessageerror = (event) => port.onmessageerror?.(event);
  return port;
}
