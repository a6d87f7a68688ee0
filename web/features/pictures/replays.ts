import { effect } from '@preact/signals';
import { deviceMemory } from '../../base/device.ts';
import { overlayOf } from '../../timeline/canvas/overlay.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { perTrace } from '../../trace/per_trace.ts';
import { filmOf } from './film.tsx';
import { createReplay, remarksOf } from './replay.ts';
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
