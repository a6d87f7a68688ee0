import { connect } from '../../base/remote.ts';
import { startWorker } from '../../base/workers.ts';
import type { ReplayService } from './protocol.ts';
import type { ReplayWorker } from './replay.ts';
import replayWorker from './worker/replay.ts?worker&url';

/** Replays that were ended have done so, and so has what they had begun on a GPU: with that of several, it would get stuck. */
let ended: Promise<unknown> = Promise.resolve();
/** Milliseconds until a worker that does not answer is ended anyway. */
const STOP_MS = 10_000;

/** Starts the worker of a replay, or another one that serves the same, once earlier ones have ended. */
export async function startReplayWorker(
  died: () => void,
  spawn = () => startWorker(replayWorker),
): Promise<ReplayWorker> {
  await ended;
  const worker = spawn();
  // It stays open where the worker has an error: that has a GPU to give up.
  const { remote } = connect<ReplayService>(worker);
  worker.onerror = (event) => {
    event.preventDefault();
    died();
  };
  worker.onmessageerror = died;
  const end = async () => {
    const late = new Promise((resolve) => setTimeout(resolve, STOP_MS));
    await Promise.race([remote.stop(), late]).catch(() => undefined);
    worker.terminate();
  };
  return {
    remote,
    end: () => {
      ended = Promise.all([ended, end()]);
    },
  };
}
