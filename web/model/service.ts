import { type Connection, connect, type Remote, type RemoteWorker } from '../base/remote.ts';

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
    const connection = connect<T>(worker);
    const die = (reason: string) => {
      if (running?.worker !== worker) return;
      end(reason);
      died(reason);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      die(event.message);
    };
    worker.onmessageerror = () => die('a message could not be read');
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
