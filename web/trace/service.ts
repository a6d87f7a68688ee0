import { type Connection, callByName, connect, methods, type Remote, type RemoteWorker } from '../base/remote.ts';

/** What rejects the calls of a worker that the page has ended. */
export const ENDED = 'The worker has ended.';

/** The object of a worker, and the life of that worker. */
export interface Service<T> {
  /** The object. Starts a worker if none is running. */
  remote(): Remote<T>;
  isRunning(): boolean;
  /** Ends the worker if one is running. Calls without an answer are rejected. */
  end(): void;
}

/**
 * The object that workers started by `spawn` serve. `died` is called when one ends by itself, with a reason or ''. After either
 * end the next question starts another.
 */
export function createService<T extends object>(
  spawn: () => RemoteWorker,
  died: (reason: string) => void = () => undefined,
): Service<T> {
  let running: { readonly worker: RemoteWorker; readonly connection: Connection<T> } | null = null;
  const end = (reason: string) => {
    const ended = running;
    running = null;
    ended?.worker.terminate();
    ended?.connection.close(reason);
  };
  const start = () => {
    const worker = spawn();
    const connection = connectTo<T>(worker, (reason) => {
      if (running?.worker !== worker) return;
      end(reason);
      died(reason);
    });
    return { worker, connection };
  };
  return {
    remote: () => {
      running ??= start();
      return running.connection.remote;
    },
    isRunning: () => running !== null,
    end: () => end(ENDED),
  };
}

/** Asks the object of a worker that runs. It closes when the worker ends by itself, and calls `died` with a reason or ''. */
export function connectTo<T extends object>(
  worker: RemoteWorker,
  died: (reason: string) => void = () => undefined,
): Connection<T> {
  const connection = connect<T>(worker);
  const die = (reason: string) => {
    connection.close(reason);
    died(reason);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    die(event.message);
  };
  worker.onmessageerror = () => die('a message could not be read');
  return connection;
}

/** The methods of a `T` in a worker, as the page asks them: null once the worker has ended. */
export type Asked<T> = {
  readonly [M in keyof T]: T[M] extends (...args: infer A) => infer Answer
    ? (...args: A) => Promise<Awaited<Answer> | null>
    : never;
};

/** Methods that resolve with null in place of being rejected. */
export function orNull<T extends object>(remote: Remote<T>): Asked<T> {
  return methods<Asked<T>>(async (name, args) => {
    try {
      return await callByName(remote, name, args);
    } catch {
      return null;
    }
  });
}

/** Some members of an object. */
export function some<T extends object, K extends keyof T>(of: T, names: readonly K[]): Pick<T, K> {
  const found: Partial<Pick<T, K>> = {};
  for (const name of names) found[name] = of[name];
  return found as Pick<T, K>;
}
