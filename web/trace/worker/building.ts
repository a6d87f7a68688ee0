import type { Turns } from '../../base/turns.ts';
import { isTrap, sentenceOf } from './errors.ts';
import { createScheduler } from './scheduler.ts';

/** What reads a trace from its beginning to its end, in turns, and what is reported of it. */
export interface Builder<T, Opened, News> {
  /** Opens what is read. Rejects with a sentence or a trap. */
  open(what: Opened): Promise<T>;
  /** Does a turn. Returns whether there is nothing more to do. Throws a sentence or a trap. */
  turn(open: T): boolean;
  /** Settles when the bytes of the next turn are there. null if they are, or need not be waited for. */
  arrival(open: T): Promise<void> | null;
  /** How far it is. Called at the end, when it is stopped, and every `reportMs` milliseconds. */
  news(open: T, at: { readonly isDone: boolean; readonly isStopped: boolean }): News;
  readonly reportMs: number;
}

/** Reads a trace while questions are answered between the turns. */
export interface Building<T, Opened, News> {
  readonly turns: Turns<Opened, News>;
  /** There is more to read than there was. */
  again(): void;
  /** Reports something in between. */
  report(news: News): void;
  /** Ends the reading. `free` gets what is open. */
  end(free: (open: T) => void): void;
  /** Answers a question once the trace is open. Rejects with what opening it or `answer` throws. */
  answer<A>(answer: (open: T) => A | Promise<A>): Promise<A>;
}

/** Nothing is read yet. Turns are those of `scheduler`. */
export function createBuilding<T, Opened, News>(
  { open: openWhat, turn, arrival, news, reportMs }: Builder<T, Opened, News>,
  scheduler = createScheduler(),
): Building<T, Opened, News> {
  let opened: Promise<T> | null = null;
  let report: (news: News) => void = () => undefined;
  let failed: (sentence: string) => void = () => undefined;
  let isDone = false;
  let isStopped = false;
  /** Counts the times that the reading began or went on: turns of an earlier time end. */
  let run = 0;
  let reportedAt = 0;

  const tell = (open: T) => {
    reportedAt = performance.now();
    report(news(open, { isDone, isStopped }));
  };
  const fail = (thrown: unknown) => {
    isDone = true;
    failed(sentenceOf(thrown));
    if (isTrap(thrown)) reportError(thrown);
  };
  const build = (open: T) => {
    run += 1;
    const mine = run;
    const once = () => {
      try {
        isDone = turn(open);
        if (isDone || performance.now() - reportedAt > reportMs) tell(open);
      } catch (thrown) {
        fail(thrown);
        return;
      }
      if (!isDone) void Promise.resolve(arrival(open)).then(next);
    };
    const next = () => {
      scheduler.add('rest', () => {
        if (!isStopped && run === mine) once();
        return false;
      });
    };
    next();
  };
  /** Does something with what is open, if it opens. */
  const withOpen = (work: (open: T) => void) => void opened?.then(work, () => undefined);

  return {
    turns: {
      open: (what, toReport, toFail) => {
        report = toReport;
        failed = toFail;
        opened = openWhat(what);
        opened.then(build, fail);
        return new Promise(() => undefined);
      },
      stop: () => {
        isStopped = true;
        withOpen(tell);
      },
      goOn: () => {
        if (!isStopped) return;
        isStopped = false;
        if (!isDone) withOpen(build);
      },
    },
    again: () => {
      isDone = false;
      withOpen((open) => {
        tell(open);
        if (!isStopped) build(open);
      });
    },
    report: (what) => report(what),
    end: (free) => {
      isStopped = true;
      withOpen(free);
      opened = null;
    },
    answer: (answer) => (opened ? opened.then(answer) : Promise.reject('Nothing is open.')),
  };
}
