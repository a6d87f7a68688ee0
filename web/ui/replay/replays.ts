import { effect } from '@preact/signals';
import { deviceMemory } from '../../base/device.ts';
import { createReplay, type Replay, remarksOf } from '../../model/replay.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import { overlay } from '../timeline/overlay.ts';
import { FilmStrip } from './film.tsx';
import { knownReplay, rememberReplay } from './known.ts';
import { startReplayWorker } from './worker.ts';

/** The replay of a trace. Its worker starts with the first question. */
export function replayOf(open: OpenTrace): Replay {
  const known = knownReplay(open);
  if (known) return known;
  const replay = createReplay(open.trace, startReplayWorker, deviceMemory() ?? undefined);
  rememberReplay(open, replay);
  overlay.value = FilmStrip;
  open.scope.add(replay.dispose);
  open.scope.add(
    effect(() => {
      const coverage = replay.coverage.value;
      open.events.remarks.value = coverage ? remarksOf(coverage, replay.refusals.value) : null;
    }),
  );
  return replay;
}
