import type { Picture, PictureView } from './protocol.ts';

/** A picture that is shown. */
export interface ShownPicture {
  readonly call: number;
  readonly view: PictureView;
  /** null if there is nothing to see: no window, or a framebuffer without colours. */
  readonly picture: Picture | null;
}

/** Pictures that were shown, so that going back to one takes no replay. */
export interface Kept {
  /** Keeps a complete picture by its key. The oldest ones go while all have too many bytes. */
  keep(key: string, it: ShownPicture): void;
  get(key: string): ShownPicture | undefined;
}

/** Keeps at most this many bytes; there are none yet. */
export function createKept(mostBytes: number): Kept {
  /** The latest last. */
  const all = new Map<string, ShownPicture>();
  let bytes = 0;
  const bytesOf = ({ picture }: ShownPicture) => picture?.pixels.byteLength ?? 0;
  return {
    keep: (key, it) => {
      if (it.picture?.halted !== '' || all.has(key)) return;
      all.set(key, it);
      bytes += bytesOf(it);
      for (const [oldest, old] of all) {
        if (bytes <= mostBytes) break;
        all.delete(oldest);
        bytes -= bytesOf(old);
      }
    },
    get: (key) => all.get(key),
  };
}
