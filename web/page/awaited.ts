import type { Link } from './link.ts';

/** A view that waits for its file. */
export interface Awaited {
  readonly link: Link;
  /** The page itself has written it, before it was loaded again: it is not from elsewhere. */
  readonly isOwn: boolean;
  /** Where the browser has the file; null if the user has to choose it, undefined while that is not known. */
  readonly source: Source | null | undefined;
}

/** Where the browser has the file of a link. */
export interface Source {
  /** Whether it can be opened without asking the user. */
  readonly isGranted: boolean;
  /** The file, and its companions. null if it is gone, or the user denies access. */
  open(): Promise<readonly File[] | null>;
}
