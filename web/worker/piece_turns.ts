import { type RecordFile, STEP_BYTES } from './record_file.ts';
import type { Scheduler } from './scheduler.ts';

/** What reads a trace in pieces of its file. */
export interface PieceReader {
  /** Reads further pieces. Returns whether there is nothing more to read. */
  step(pieces: number): boolean;
  pieces(): number;
  /** Number of pieces that were read. */
  done(): number;
}

/** A reading in turns. */
export interface PieceTurns {
  readonly isDone: () => boolean;
  stop(): void;
  goOn(): void;
}

/**
 * Reads all pieces of a file in turns, so that messages are answered in between. `report` is called at most every `every`
 * milliseconds, and at the end. `fail` gets what was thrown, which ends the reading.
 */
export function readInTurns(
  reader: PieceReader,
  file: RecordFile,
  scheduler: Scheduler,
  { report, fail, every }: { report: (isDone: boolean) => void; fail: (thrown: unknown) => void; every: number },
): PieceTurns {
  let isDone = false;
  let isStopped = false;
  let isScheduled = false;
  let reportedAt = 0;
  const turn = () => {
    try {
      const of = reader.pieces();
      // A turn is a few megabytes of the file, and never a large share of the trace.
      isDone = reader.step(Math.max(1, Math.round(Math.min(of / 50, (of * STEP_BYTES) / file.size / 4))));
      file.at = (reader.done() / Math.max(1, of)) * file.size;
      if (!isDone && performance.now() - reportedAt <= every) return;
      reportedAt = performance.now();
      report(isDone);
    } catch (thrown) {
      isDone = true;
      fail(thrown);
    }
  };
  const next = () => {
    if (isScheduled || isStopped || isDone) return;
    isScheduled = true;
    void Promise.resolve(file.arrival()).then(() => {
      scheduler.add('rest', () => {
        isScheduled = false;
        if (!isStopped) turn();
        next();
        return false;
      });
    });
  };
  next();
  return {
    isDone: () => isDone,
    stop: () => {
      isStopped = true;
    },
    goOn: () => {
      isStopped = false;
      next();
    },
  };
}
