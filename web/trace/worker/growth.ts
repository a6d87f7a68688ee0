import type { Input } from './reading.ts';
import type { Source } from './source.ts';

/** A file that goes on being written. */
export interface Growth {
  /** Its bytes. They end once {@link Growth.grow} says so, not where the file ends. */
  readonly input: Input;
  /** Bytes of the file as it was last seen. */
  readonly size: number;
  /** The file as it is now, with the bytes that were there before; null if there are no more. */
  grow(file: Blob | null): void;
  /** What reading waits for before it goes on: what goes through the trace is to see one state of it. null without that. */
  hold(): Promise<void> | null;
}

/** What a file that grows needs of the worker. */
export interface GrowthHost {
  /** A file as it is read. */
  readonly inputOf: (file: Blob) => Input;
  /** All bytes of the file were taken. */
  rest(): void;
  /** Whether the trace must stay as it is for now. */
  isHeld(): boolean;
}

/** Time between two looks at whether reading may go on. */
const HELD_MS = 10;

/** A file that grows. */
export function createGrowth(first: Blob, { inputOf, rest, isHeld }: GrowthHost): Growth {
  let file = first;
  let over = false;
  let wake: () => void = () => undefined;
  /** Resolves once the file is another than `known`. Returns false if it does not go on. */
  const next = async (known: Blob): Promise<boolean> => {
    while (file === known && !over) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return file !== known;
  };
  const open = (at: number): Source => {
    let from = file;
    let source = inputOf(from).open(at);
    let position = at;
    const take = async (most: number): Promise<Uint8Array | null> => {
      try {
        const bytes = await source.take(most);
        if (bytes) {
          position += bytes.length;
          return bytes;
        }
        if (file === from && !over) rest();
      } catch (error) {
        // Browsers refuse to read a file that has changed since it was looked at.
        if (!(error instanceof DOMException) || error.name === 'AbortError') throw error;
      }
      if (!(await next(from))) return null;
      source.close();
      from = file;
      source = inputOf(from).open(position);
      return take(most);
    };
    return {
      get position() {
        return position;
      },
      prefetch: (most) => source.prefetch(most),
      take,
      close: () => source.close(),
    };
  };
  const wait = async () => {
    while (isHeld()) await new Promise((resolve) => setTimeout(resolve, HELD_MS));
  };
  return {
    input: { size: first.size, open, readAt: (at, length) => inputOf(file).readAt(at, length) },
    get size() {
      return file.size;
    },
    grow: (now) => {
      if (now) file = now;
      else over = true;
      wake();
    },
    hold: () => (isHeld() ? wait() : null),
  };
}
