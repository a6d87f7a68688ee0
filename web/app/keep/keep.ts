import { type Signal, signal } from '@preact/signals';
import type { Copy, CopyFailure, CopyService } from '../../base/copies_protocol.ts';
import { formatBytes } from '../../base/format.ts';
import type { RemoteWorker } from '../../base/remote.ts';
import type { Copies } from '../../page/copies.ts';
import { createService, ENDED } from '../../trace/service.ts';

/** What is to be copied. */
export interface ToKeep {
  readonly name: string;
  readonly format: string;
  /** The trace's file first. */
  readonly files: readonly { readonly name: string; readonly file: Blob }[];
}

/** The state of a copy. */
export type Keeping =
  | { readonly at: 'asking' }
  /** Bytes written so far. */
  | { readonly at: 'writing'; readonly bytes: number }
  | { readonly at: 'kept' }
  | { readonly at: 'failed'; readonly sentence: string };

/** The copy of a file while it is being made. */
export interface Keep {
  readonly state: Signal<Keeping>;
  /** Bytes of all files. */
  readonly bytes: number;
  /** Begins to write. */
  start(): Promise<void>;
  /** Ends the writing, and deletes what has been written. */
  cancel(): void;
}

/** What keeping needs of the browser. Tests substitute their own. */
export interface Room {
  spawn(): RemoteWorker;
  /** Bytes that are left for the pages of the origin; null if the browser does not say. */
  left(): Promise<number | null>;
  /** A new name of a folder. */
  newId(): string;
}

/** Nothing is written until it starts. */
export function createKeep(what: ToKeep, copies: Copies, room: Room): Keep {
  const state = signal<Keeping>({ at: 'asking' });
  const bytes = what.files.reduce((sum, { file }) => sum + file.size, 0);
  const service = createService<CopyService>(room.spawn);
  const fail = (sentence: string) => {
    state.value = { at: 'failed', sentence };
  };
  let copy: Copy | null = null;
  const discard = () => {
    service.end();
    if (copy) void copies.remove(copy);
    copy = null;
  };
  return {
    state,
    bytes,
    start: async () => {
      if (state.peek().at === 'writing') return;
      state.value = { at: 'writing', bytes: 0 };
      const left = await room.left();
      if (left !== null && left < bytes) return fail(fullText(bytes, left));
      if (state.peek().at !== 'writing') return;
      const { name, format, files } = what;
      const mine: Copy = {
        id: room.newId(),
        name,
        size: files[0]!.file.size,
        bytes,
        format,
        files: files.map((file) => file.name),
      };
      copy = mine;
      let failure: CopyFailure | null;
      try {
        const blobs = files.map(({ file }) => file);
        failure = await service.remote().write(mine, blobs, (written) => {
          if (copy === mine) state.value = { at: 'writing', bytes: written };
        });
      } catch (thrown) {
        if (thrown === ENDED) return;
        failure = 'failed';
      }
      if (copy !== mine) return;
      if (failure) {
        discard();
        const now = await room.left();
        fail(
          failure === 'full'
            ? fullText(bytes, now)
            : 'The copy could not be written: this browser does not give its private files to the page.',
        );
        return;
      }
      service.end();
      copy = null;
      copies.add(mine);
      state.value = { at: 'kept' };
    },
    cancel: () => {
      discard();
      state.value = { at: 'asking' };
    },
  };
}

function fullText(bytes: number, left: number | null): string {
  const has = left === null ? '' : `, and ${formatBytes(left)} are left`;
  return `The browser has no room for this copy: it takes ${formatBytes(bytes)}${has}.`;
}
