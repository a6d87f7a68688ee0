import { type Session, STEP_BROKEN, STEP_DONE, STEP_MORE, STEP_WANTS_BYTES } from './session.ts';
import { openSource, type Source } from './source.ts';

/** What the loop needs of a database. */
export interface Arriving {
  /** Settles when the bytes that the session will read next are there. null if they are, or are not on their way. */
  arrival(): Promise<void> | null;
}

/** The file, as the loop reads it. */
export interface Input {
  /** Bytes; null while the size is unknown. */
  readonly size: number | null;
  /** The bytes from the offset `at` on. Called once. */
  open(at: number): Source;
  /** Bytes that may have been read before; fewer at the end. Rejects with a `DOMException` if they cannot be read. */
  readAt(at: number, length: number): Promise<Uint8Array>;
}

/** A plain file. */
export function inputOf(file: Blob): Input {
  return {
    size: file.size,
    open: (at) => openSource(file, at),
    readAt: async (at, length) => new Uint8Array(await file.slice(at, at + length).arrayBuffer()),
  };
}

/** What the loop needs from the worker. */
export interface Pace {
  cancelled(): boolean;
  /** Resolves when the first picture is on the screen. */
  readonly painted: Promise<void>;
  /** Called after each step. Reports progress at a sensible rate, or at once if `now` is true. */
  report(now: boolean): void;
  /** What reading waits for before it goes on; null without that. */
  hold?(): Promise<void> | null | undefined;
}

/** How reading ended. A failed read of the file is thrown instead. */
export type Outcome = 'complete' | 'cancelled' | 'broken';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Small, because the first picture waits for it. */
const FIRST_PORTION = 256 * KIB;
const PORTION = MIB;
/** Length of a turn; afterwards the worker handles waiting messages. */
const TURN_MS = 10;
/** Target duration of a step. */
const STEP_MS = 4;
/** Target duration of a step that fetches rows. */
const ROWS_MS = 16;
/** Events a step. */
const SMALLEST_BUDGET = 1_000;
const LARGEST_BUDGET = 4_000_000;
/** How long reading waits for bytes before it reports. */
const LATE_MS = 200;
/** How long reading waits for the first picture. */
const HOLD_MS = 250;

/**
 * Reads `input` through `session` and yields to messages every {@link TURN_MS}. `database` is what the session reads the
 * file by if it is a database, else null. Rejects with a `DOMException` if the file cannot be read, and with whatever a
 * wasm trap throws.
 */
export async function readThrough(
  session: Session,
  input: Input,
  database: Arriving | null,
  pace: Pace,
): Promise<Outcome> {
  return database ? readRows(session, database, pace) : readBytes(session, input, pace);
}

/** Reads a database. The session fetches rows itself, a portion each step. */
async function readRows(session: Session, database: Arriving, pace: Pace): Promise<Outcome> {
  const yielder = createYielder();
  let holding = true;
  let budget = 16 * SMALLEST_BUDGET;
  try {
    for (;;) {
      if (pace.cancelled()) {
        session.cancel();
        return 'cancelled';
      }
      const arrival = database.arrival();
      if (arrival) await arrival;
      const began = performance.now();
      const state = session.step(budget);
      if (state === STEP_DONE) return 'complete';
      if (state === STEP_BROKEN) return 'broken';
      const took = performance.now() - began;
      // Each step begins with a search, so short steps are costly.
      if (took > 2 * ROWS_MS) budget = Math.max(SMALLEST_BUDGET, budget >> 1);
      else if (took < ROWS_MS) budget = Math.min(LARGEST_BUDGET, budget << 1);
      if (holding && session.progress().slices > 0) {
        holding = false;
        pace.report(true);
        await Promise.race([pace.painted, delay(HOLD_MS)]);
      }
      pace.report(false);
      await yielder.turn();
    }
  } finally {
    yielder.close();
  }
}

async function readBytes(session: Session, input: Input, pace: Pace): Promise<Outcome> {
  const source = input.open(session.wantsAt());
  const yielder = createYielder();
  const holdAt = Math.max(MIB, Math.floor((input.size ?? 0) / 8));
  let holding = true;
  let portion = FIRST_PORTION;
  let budget = 16 * SMALLEST_BUDGET;
  let turn = performance.now();
  const allowed = () => (holding ? Math.min(portion, holdAt - source.position) : portion);

  try {
    for (;;) {
      if (pace.cancelled()) {
        session.cancel();
        return 'cancelled';
      }
      const began = performance.now();
      const state = session.step(budget);
      const took = performance.now() - began;
      if (took > 2 * STEP_MS) budget = Math.max(SMALLEST_BUDGET, budget >> 1);
      else if (took < STEP_MS && state === STEP_MORE) budget = Math.min(LARGEST_BUDGET, budget << 1);

      if (state === STEP_DONE) return 'complete';
      if (state === STEP_BROKEN) return 'broken';
      if (state === STEP_WANTS_BYTES) {
        const at = session.wantsAt();
        let bytes: Uint8Array | null;
        if (at === source.position) {
          if (holding && at >= holdAt) {
            // The first picture takes priority over the rest of the file. The pause costs a frame.
            if (session.progress().slices > 0) {
              pace.report(true);
              await Promise.race([pace.painted, delay(HOLD_MS)]);
            }
            holding = false;
          }
          // What was read before a long wait is shown.
          const late = setTimeout(() => pace.report(true), LATE_MS);
          bytes = await source.take(allowed());
          clearTimeout(late);
        } else {
          bytes = await readAt(input, at, session.wantsLength());
        }
        await pace.hold?.();
        if (bytes) session.push(bytes);
        else session.end();
        portion = PORTION;
        if (allowed() > 0) source.prefetch(allowed());
      }
      pace.report(false);
      if (performance.now() - turn > TURN_MS) {
        await yielder.turn();
        await pace.hold?.();
        turn = performance.now();
      }
    }
  } finally {
    source.close();
    yielder.close();
  }
}

async function readAt(input: Input, at: number, length: number): Promise<Uint8Array | null> {
  const bytes = await input.readAt(at, Math.min(length === 0 ? PORTION : length, PORTION));
  return bytes.byteLength > 0 ? bytes : null;
}

/** A message to itself lets the worker handle the queued messages first. A timer would cost 4 ms. */
export function createYielder(): { turn(): Promise<void>; close(): void } {
  const channel = new MessageChannel();
  return {
    turn: () =>
      new Promise((resolve) => {
        channel.port1.onmessage = () => resolve();
        channel.port2.postMessage(null);
      }),
    close: () => {
      channel.port1.close();
      channel.port2.close();
    },
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
