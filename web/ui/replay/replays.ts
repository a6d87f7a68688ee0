import { createReplay, type Replay } from '../../model/replay.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import replayWorker from '../../worker/replay.ts?worker&url';
import { startWorker } from '../workers.ts';

/** The replays of open traces: each keeps its worker while nothing shows it. */
const replays = new WeakMap<OpenTrace, Replay>();

/** The replay of a trace. Its worker starts with the first question. */
export function replayOf(open: OpenTrace): Replay {
  const known = replays.get(open);
  if (known) return known;
  const replay = createReplay(open.trace, () => startWorker(replayWorker));
  replays.set(open, replay);
  open.scope.add(replay.dispose);
  return replay;
}
