import { type RemotePort, type RemoteWorker, serve } from './remote.ts';

/** A worker in a test. */
export interface FakeWorker extends RemoteWorker {
  readonly isEnded: () => boolean;
  /** Ends it as a crash does. */
  crash(reason?: string): void;
}

/** A worker that serves an object of a test. Messages arrive in microtasks. */
export function workerOf<T extends object>(service: T): FakeWorker {
  let isEnded = false;
  const send = (to: RemotePort, data: unknown) =>
    queueMicrotask(() => {
      if (!isEnded) to.onmessage?.({ data } as MessageEvent);
    });
  const inside: RemotePort = { postMessage: (data) => send(worker, data), onmessage: null };
  const worker: FakeWorker = {
    postMessage: (data) => send(inside, data),
    terminate: () => {
      isEnded = true;
    },
    isEnded: () => isEnded,
    crash: (message = '') => worker.onerror?.(Object.assign(new Event('error'), { message }) as ErrorEvent),
    onmessage: null,
    onerror: null,
    onmessageerror: null,
  };
  serve(service, inside);
  return worker;
}
