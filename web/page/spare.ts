import type { RemoteWorker } from '../base/remote.ts';

/** A worker that was started before there is a file for it, so that opening one waits for no download and no compiling. */
export interface Spare {
  /** Starts a worker unless one is ready. */
  warm(): void;
  /** The worker that is ready, or a new one. */
  take(): RemoteWorker;
  /** Takes back a worker for which no file has come. */
  put(port: RemoteWorker): void;
}

/** No worker yet. `spawn` starts one. */
export function createSpare(spawn: () => RemoteWorker): Spare {
  let ready: RemoteWorker | null = null;
  const keep = (port: RemoteWorker) => {
    ready = port;
    // A worker that does not load would never reply. The next file gets a new one, and reports the failure.
    port.onerror = (event) => {
      event.preventDefault();
      if (ready === port) ready = null;
      port.terminate();
    };
  };
  return {
    warm: () => {
      if (ready) return;
      keep(spawn());
    },
    put: (port) => {
      if (ready) port.terminate();
      else keep(port);
    },
    take: () => {
      const port = ready ?? spawn();
      ready = null;
      port.onerror = null;
      return port;
    },
  };
}
