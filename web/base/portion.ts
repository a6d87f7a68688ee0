/** Names, or what takes as long, that are gone through between two frames: some milliseconds. */
export const PORTION = 10_000;
