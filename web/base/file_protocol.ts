/** Gives blocks of a file to another worker: `FileBlocks` of `web/trace/worker/file_blocks.ts`. */
export interface FileBlockService {
  /** A copy of a block by its number, once it was read; null if it cannot be read. */
  give(number: number): Promise<Uint8Array | null>;
}
