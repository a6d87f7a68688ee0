import { signal } from '@preact/signals';
import type { Replay } from '../../model/replay.ts';
import type { OpenTrace } from '../../model/workbench.ts';

/** The replays of open traces: each keeps its worker while nothing shows it. */
const replays = new WeakMap<OpenTrace, Replay>();
/** Grows with each. */
const version = signal(0);

/** The replay of a trace, if a picture was requested. Subscribes. */
export function knownReplay(open: OpenTrace): Replay | undefined {
  void version.value;
  return replays.get(open);
}

/** Remembers the replay of a trace. */
export function rememberReplay(open: OpenTrace, replay: Replay): void {
  replays.set(open, replay);
  version.value += 1;
}
