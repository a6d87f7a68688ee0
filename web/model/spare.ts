import type { Port } from './trace.ts';

/** A worker that was started before there is a file for it, so that opening one waits for no download and no compiling. */
export interface Spare {
  /** Starts a worker unless one is ready. */
  warm(): void;
  /** The worker that is ready, or a new one. */
  take(): Port;
}

/** No worker yet. `spawn` starts one. */
export function createSpare(spawn: () => Port): Spare {
  let ready: Port | null = null;
  return {
    warm: () => {
      if (ready) return;
      const port = spawn();
      ready = port;
      // A worker that does not load would never reply. The next file gets a new one, and reports the failure.
      port.onerror = (event) => {
        event.preventDefault();
        if (ready === port) ready = null;
        port.terminate();
      };
    },
    take: () => {
      const port = ready ?? spawn();
      ready = null;
      port.onerror = null;
      return port;
    },
  };
}
