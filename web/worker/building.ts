import { isTrap, sentenceOf } from './errors.ts';
import { createScheduler } from './scheduler.ts';

/** What reads a trace from its beginning to its end, in turns, and what is reported of it. */
export interface Builder<T> {
  /** Does a turn. Returns whether there is nothing more to do. Throws a sentence or a trap. */
  turn(open: T): boolean;
  /** Settles when the bytes of the next turn are there. null if they are, or need not be waited for. */
  arrival(open: T): Promise<void> | null;
  /** Says how far it is. Called at the end, when it is stopped, and every `reportMs` milliseconds. */
  report(open: T, at: { readonly isDone: boolean; readonly isStopped: boolean }): void;
  readonly reportMs: number;
  /** It ends here, because it cannot be opened or go on. */
  failed(sentence: string): void;
}

/** Reads a trace while questions are answered between the turns. */
export interface Building<T> {
  /** Begins to read what the promise resolves with. */
  open(opening: Promise<T>): void;
  /** Stops after the current turn, or goes on. */
  stop(): void;
  goOn(): void;
  /** There is more to read than there was. */
  again(): void;
  /** Answers a question: `answer` is called, and its result or the sentence for what it threw is passed on by `post`. */
  answer<A>(answer: (open: T) => A | Promise<A>, post: (answer: A | null, error: string | null) => void): void;
}

/** What the page tells every worker that reads a trace in turns. */
type Told = { readonly t: 'open' } | { readonly t: 'stop' } | { readonly t: 'go-on' } | { readonly t: 'ask' };
type Of<Message, T> = Extract<Message, { readonly t: T }>;

/** Handles the messages of a worker: `open` opens the file of the first one, and `ask` answers a question. */
export function handles<T, Message extends Told, A>(
  building: Building<T>,
  open: (message: Of<Message, 'open'>) => Promise<T>,
  ask: (open: T, message: Of<Message, 'ask'>) => A | Promise<A>,
  post: (message: Of<Message, 'ask'>, answer: A | null, error: string | null) => void,
): (message: Message) => void {
  return (message) => {
    if (message.t === 'stop') building.stop();
    else if (message.t === 'go-on') building.goOn();
    else if (message.t === 'open') building.open(open(message as Of<Message, 'open'>));
    else {
      const question = message as Of<Message, 'ask'>;
      building.answer(
        (it) => ask(it, question),
        (answer, error) => post(question, answer, error),
      );
    }
  };
}

/** Nothing is read yet. */
export function createBuilding<T>({ turn, arrival, report, reportMs, failed }: Builder<T>): Building<T> {
  const scheduler = createScheduler();
  let opened: Promise<T> | null = null;
  let isDone = false;
  let isStopped = false;
  /** Counts the times that the reading began or went on: turns of an earlier time end. */
  let run = 0;
  let reportedAt = 0;

  const tell = (open: T) => {
    reportedAt = performance.now();
    report(open, { isDone, isStopped });
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

  return {
    open: (opening) => {
      opened = opening;
      opening.then(build, fail);
    },
    stop: () => {
      isStopped = true;
      void opened?.then(tell, () => undefined);
    },
    goOn: () => {
      if (!isStopped) return;
      isStopped = false;
      if (!isDone) void opened?.then(build, () => undefined);
    },
    again: () => {
      isDone = false;
      void opened?.then(
        (open) => {
          tell(open);
          if (!isStopped) build(open);
        },
        () => undefined,
      );
    },
    answer: (answer, post) => {
      const told = (thrown: unknown) => {
        post(null, sentenceOf(thrown));
        if (isTrap(thrown)) reportError(thrown);
      };
      void opened?.then(answer).then((it) => post(it, null), told);
    },
  };
}
