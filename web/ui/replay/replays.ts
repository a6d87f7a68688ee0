import { effect, signal } from '@preact/signals';
import { createReplay, type Replay, remarksOf } from '../../model/replay.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import replayWorker from '../../worker/replay.ts?worker&url';
import { overlay } from '../timeline/overlay.ts';
import { startWorker } from '../workers.ts';
import { FilmStrip } from './film.tsx';

/** The replays of open traces: each keeps its worker while nothing shows it. */
const replays = new WeakMap<OpenTrace, Replay>();
/** Grows with each. */
const version = signal(0);

/** The replay of a trace, if somebody has asked for a picture. Subscribes. */
export function knownReplay(open: OpenTrace): Replay | undefined {
  void version.value;
  return replays.get(open);
}

/** The replay of a trace. Its worker starts with the first question. */
export function replayOf(open: OpenTrace): Replay {
  const known = replays.get(open);
  if (known) return known;
  const replay = createReplay(open.trace, () => startWorker(replayWorker));
  replays.set(open, replay);
  version.value += 1;
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
