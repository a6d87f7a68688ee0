/** Gives blocks of a file to another worker: `FileBlocks` of `web/trace/worker/file_blocks.ts`. */
export interface FileBlockService {
  /** A copy of a block by its number, once it was read; null if it cannot be read, or is not there and only that is asked for. */
  give(number: number, isThere?: boolean): Promise<Uint8Array | null>;
}
