import type { Plugin } from 'vite';

/** What the plugin does, as tests call it. */
interface Waiting extends Plugin {
  configureServer(server: {
    ws: { send(event: string, data: { names: string[] }): void; on(event: string, heard: () => void): void };
  }): void;
  resolveId(source: string, importer?: string): string | null;
  load(id: string): Promise<null>;
}

/** See wait_for_wasm.mjs. */
export function waitForWasm(folder?: string): Waiting;
