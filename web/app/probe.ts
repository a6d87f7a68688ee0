/* Answers to questions of tests and tools about the open trace: `docs/interfaces.md`. */

import { startWorker } from '../base/workers.ts';
import type { Shortcuts } from '../features/pictures/protocol.ts';
import { createReplay, type Replay } from '../features/pictures/replay.ts';
import { replayOf } from '../features/pictures/replays.ts';
import probeWorker from '../features/pictures/worker/replay_probe.ts?worker&url';
import { startReplayWorker } from '../features/pictures/worker.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';

/** Milliseconds that the GPU may take for a picture. */
const PATIENCE_MS = 60_000;

/** Replays with shortcuts of their own, by these. */
const probes = new WeakMap<OpenTrace, Map<string, Replay>>();

/** The answer to a question about the open trace. null if there is no answer without one. */
export async function answerTo(question: { readonly type?: unknown }, open: OpenTrace | null): Promise<object | null> {
  switch (question.type) {
    case 'unspool:digest':
      return { type: 'unspool:digested', digest: (await open?.trace.digest()) ?? null };
    case 'unspool:survey':
      return { type: 'unspool:surveyed', ...(await open?.trace.records.survey()) };
    default:
      return open && pictureOf(question, open);
  }
}

/** The picture after a call, with what failed. */
async function pictureOf(question: object, open: OpenTrace): Promise<object> {
  const { call, shortcuts, patience } = question as {
    readonly call?: unknown;
    readonly shortcuts?: Shortcuts;
    readonly patience?: unknown;
  };
  const replay = shortcuts ? probeOf(open, shortcuts) : replayOf(open);
  const shown = await replay.ask(Number(call), 'color', Number(patience ?? PATIENCE_MS));
  return {
    type: 'unspool:pictured',
    call,
    picture: shown?.picture ?? null,
    failures: replay.failures.peek(),
    refusals: replay.refusals.peek(),
    error: replay.failure.peek()?.sentence ?? '',
    coverage: replay.coverage.peek(),
  };
}

/** A replay that takes these shortcuts, and keeps no picture. */
function probeOf(open: OpenTrace, shortcuts: Shortcuts): Replay {
  const all = probes.get(open) ?? new Map<string, Replay>();
  probes.set(open, all);
  const key = JSON.stringify(shortcuts);
  const known = all.get(key);
  if (known) return known;
  const spawn = () => {
    const worker = startWorker(probeWorker);
    worker.postMessage(shortcuts);
    return worker;
  };
  const replay = createReplay(open.trace, (died) => startReplayWorker(died, spawn), undefined, 0);
  open.scope.add(replay.dispose);
  all.set(key, replay);
  return replay;
}
