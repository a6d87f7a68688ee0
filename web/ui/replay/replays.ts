import { effect } from '@preact/signals';
import { deviceMemory } from '../../base/device.ts';
import type { OpenTrace } from '../../model/open_trace.ts';
import { perTrace } from '../../model/per_trace.ts';
import { createReplay, remarksOf } from '../../model/replay.ts';
import { overlayOf } from '../timeline/overlay.ts';
import { filmOf } from './film.tsx';
import { startReplayWorker } from './worker.ts';

/** The replay of a trace. Its worker starts with the first question, and stays while nothing shows it. */
export const replayOf = perTrace((open: OpenTrace) => {
  const replay = createReplay(open.trace, startReplayWorker, deviceMemory() ?? undefined);
  overlayOf(open).value = filmOf(open, replay);
  open.scope.add(
    effect(() => {
      const coverage = replay.coverage.value;
      open.events.remarks.value = coverage ? remarksOf(coverage, replay.refusals.value) : null;
    }),
  );
  return replay;
});
