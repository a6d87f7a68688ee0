/*
 * Files at an address, without the code that loads them (`ranged_file.ts`).
 */

/** Where the bytes come from. */
export interface Ranges {
  readonly url: string;
  /** Bytes of the whole file. */
  readonly total: number;
  /** The version of the file, as the host names it (`ETag`); null if it does not. */
  readonly tag: string | null;
  /** The `BroadcastChannel` by which threads tell the page what they load, and hear when to go on. */
  readonly channel: string;
  /** The file may have become longer, with the same bytes before. */
  readonly grows?: boolean;
}

/** What threads tell the page. */
export interface Moved {
  readonly url: string;
  /** The thread. */
  readonly by: string;
  /** Bytes that it has loaded so far, and bytes that it keeps. */
  readonly bytes: number;
  readonly kept: number;
  /** Why it waits, in a sentence; '' while it does not. */
  readonly waits: string;
}

/** What the page tells the threads: to try again, or to forget the bytes that they keep. */
export type Told = 'go on' | 'forget';

/** The name of the error if the host of a file does not answer, or not with the bytes of the file. Its message is a sentence. */
export const NOT_LOADED = 'NetworkError';

/** A file, or a part of one, at an address. */
export interface Ranged {
  readonly ranges: Ranges;
  /** The offset in the whole file, and bytes. */
  readonly from: number;
  readonly size: number;
}

/** Whether the bytes of a file are at an address. */
export function isRanged(file: Blob): file is Blob & Ranged {
  return 'ranges' in file;
}
