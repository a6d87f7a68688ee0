// Apart from portions.ts: what the page loads before a file is opened needs no more of it.

/** Names, or what takes as long, that are gone through between two frames: some milliseconds. */
export const PORTION = 10_000;
