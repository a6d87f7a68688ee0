import type { CallsSearched, StandingFinding } from '../../base/summary_protocol.ts';
import init, { CallFindings } from '../../worker/wasm/unspool_findings.js';
import type { Scheduler } from './scheduler.ts';
import type { Session } from './session.ts';

/** Length of a turn in milliseconds; afterwards the worker handles waiting messages. */
const TURN_MS = 8;
/** Calls that are visited at once: some milliseconds. Each time the places in all columns are looked up again. */
const CALLS = 20_000;
/** Minimum time between two reports. */
const REPORT_MS = 100;

/**
 * Looks for what stands out among the calls of a trace that is read, while nothing else is to be done. `run` runs something on the
 * session, if there is one; `tell` gets the share that is done, and the bytes of memory. Resolves with null if it is stopped.
 */
export async function findInCalls(
  run: (turn: (session: Session) => void) => void,
  scheduler: Pick<Scheduler, 'add'>,
  { frequency, gaps }: CallsSearched,
  tell: (share: number, bytes: number) => void,
  stop: AbortSignal,
): Promise<readonly StandingFinding[] | null> {
  const { memory } = await init();
  return new Promise((resolve, reject) => {
    let search: CallFindings | null = null;
    let toldAt = 0;
    let remove: () => void = () => undefined;
    const end = (found: readonly StandingFinding[] | null) => {
      remove();
      search?.free();
      search = null;
      resolve(found);
    };
    /** Does a turn. Returns whether there is more to do. */
    const turn = (session: Session): boolean => {
      search ??= new CallFindings(session, frequency, gaps);
      const until = performance.now() + TURN_MS;
      let isDone = false;
      while (!isDone && performance.now() < until) isDone = search.step(CALLS);
      if (!isDone && performance.now() - toldAt < REPORT_MS) return true;
      toldAt = performance.now();
      // Memory of a module does not shrink.
      tell(search.share, memory.buffer.byteLength);
      if (isDone) end(search.found());
      return !isDone;
    };
    remove = scheduler.add('background', () => {
      let isMore = false;
      run((session) => {
        // What fails here leaves the trace as it is.
        try {
          isMore = turn(session);
        } catch (thrown) {
          reject(thrown);
        }
      });
      return isMore;
    });
    stop.addEventListener('abort', () => end(null));
  });
}
