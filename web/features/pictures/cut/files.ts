import { deviceMemory } from '../../../base/device.ts';
import type { Cleaned } from '../../../base/export_protocol.ts';
import type { FindsFrameNeeds, FrameCutNews, FrameNeeds, OpensCalls } from '../../../base/survey_protocol.ts';
import { watch } from '../../../base/watch.ts';
import { startWorker } from '../../../base/workers.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { createReadingWorker } from '../../../trace/reading_worker.ts';
import { blobSink } from '../../../trace/save_file.ts';
import { graphicsOf } from '../../../trace/surveys.ts';
import { openTrace } from '../../../trace/trace.ts';
import recordWorker from '../../../trace/worker/records.ts?worker&url';
import traceWorker from '../../../trace/worker/worker.ts?worker&url';
import { type WantedCalls, writeCalls } from '../../../trace/writing_calls.ts';
import type { Frames } from '../protocol.ts';
import { createReplay, type Replay } from '../replay.ts';
import { startReplayWorker } from '../worker.ts';

/** Hears how much of something is done, from 0 to 1. */
export type Hear = (share: number) => void;

/** A replay of a file that only this room knows. */
export interface Replayed {
  readonly replay: Replay;
  readonly frames: Frames;
  end(): void;
}

/** What makes a file of a frame, and replays it. Tests substitute their own. All reject with a sentence, and end with `signal`. */
export interface FrameFiles {
  /** What a frame needs to replay by itself. */
  needs(frame: number, hear: Hear, signal: AbortSignal): Promise<FrameNeeds>;
  /** A trace of these calls. */
  write(calls: WantedCalls, hear: Hear, signal: AbortSignal): Promise<Blob>;
  /** What would be hashed and left out of it. */
  look(calls: WantedCalls, signal: AbortSignal): Promise<Cleaned>;
  /** Opens a trace again, by workers of its own. */
  replay(file: Blob, signal: AbortSignal): Promise<Replayed>;
}

const CRASHED = 'The search for what the frame needs stopped unexpectedly. Reload the page to try again.';

/** Files of frames of an open trace. */
export function filesOf(open: OpenTrace): FrameFiles {
  return {
    needs: (frame, hear, signal) => needsOf(open, frame, hear, signal),
    write: async (calls, hear, signal) => (await write(open, calls, hear, signal)).file,
    look: async (calls, signal) => (await write(open, calls, () => undefined, signal)).cleaned,
    replay: (file, signal) => replayFile(file, open.trace.name, signal),
  };
}

function needsOf(open: OpenTrace, frame: number, hear: Hear, signal: AbortSignal): Promise<FrameNeeds> {
  const enter = (bytes: number) =>
    open.trace.recordSource.ledger?.set('frame', { noun: 'notes of what a frame needs', bytes, free: null });
  return new Promise((resolve, reject) => {
    const worker = createReadingWorker<FindsFrameNeeds, OpensCalls, FrameCutNews>(open.trace, {
      ...graphicsOf(open).part('frame'),
      begun: () => void worker.ask.frames(frame, frame),
      hear: ({ progress, bytes, needs }) => {
        enter(bytes);
        hear(progress.done / Math.max(1, progress.of));
        if (!needs) return;
        if (needs.refused === '') resolve(needs as FrameNeeds);
        else reject(new Error(reasonOf(needs.refused)));
        end();
      },
      crashed: CRASHED,
    });
    const unwatch = watch([worker.error], () => {
      const error = worker.error.peek();
      if (error === '') return;
      reject(new Error(error));
      end();
    });
    const end = () => {
      unwatch();
      enter(0);
      worker.dispose();
    };
    signal.addEventListener('abort', end);
  });
}

/** A refusal as a sentence. The name of a function that it begins with stays as it is. */
function reasonOf(refusal: string): string {
  const reason = refusal.replace(/^refused: /, '');
  const [first = ''] = reason.split(' ');
  return `${/[A-Z]/.test(first) ? first : first.charAt(0).toUpperCase() + first.slice(1)}${reason.slice(first.length)}.`;
}

async function write({ trace }: OpenTrace, calls: WantedCalls, hear: Hear, signal: AbortSignal) {
  const file = trace.content.peek();
  if (!file) throw new Error('The file is not unpacked yet.');
  let made = new Blob();
  const sink = blobSink((blob) => {
    made = blob;
  });
  const stopped = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)));
  const written = await writeCalls(trace, file, calls, sink, stopped, hear);
  if (!written) throw new Error('The writing was stopped.');
  if (written.stopped) throw new Error(`The trace could not be read to its end: ${written.stopped}.`);
  await sink.close();
  return { file: made, cleaned: written.cleaned };
}

async function replayFile(file: Blob, name: string, signal: AbortSignal): Promise<Replayed> {
  const trace = openTrace(startWorker(traceWorker), { file, name, companions: [] }, () => startWorker(recordWorker));
  const replay = createReplay(trace, startReplayWorker, deviceMemory() ?? undefined);
  const end = () => {
    replay.dispose();
    trace.dispose();
  };
  signal.addEventListener('abort', end);
  try {
    await settled([trace.status], () => trace.status.peek().at !== 'loading');
    const status = trace.status.peek();
    if (status.at !== 'ready') throw new Error('The new file cannot be opened.');
    replay.look();
    await settled(
      [replay.frames, replay.failure],
      () => replay.frames.peek() !== null || replay.failure.peek() !== null,
    );
    const frames = replay.frames.peek();
    if (!frames) throw new Error(replay.failure.peek()?.sentence);
    return { replay, frames, end };
  } catch (thrown) {
    end();
    throw thrown;
  }
}

/** Resolves once signals have settled as `is` says. */
function settled(signals: Parameters<typeof watch>[0], is: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (is()) return resolve();
    const unwatch = watch(signals, () => {
      if (!is()) return;
      resolve();
      queueMicrotask(() => unwatch());
    });
  });
}
