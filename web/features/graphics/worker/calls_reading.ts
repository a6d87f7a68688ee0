import type { FileBlockService } from '../../../base/file_protocol.ts';
import type { CallsFile, OpensCalls } from '../../../base/survey_protocol.ts';
import { type Builder, type Building, createBuilding } from '../../../trace/worker/building.ts';
import { loadDecompressors } from '../../../trace/worker/decompressors.ts';
import { FileBlocks } from '../../../trace/worker/file_blocks.ts';
import { RecordFile } from '../../../trace/worker/record_file.ts';
import { createScheduler } from '../../../trace/worker/scheduler.ts';

/** What a wasm module makes of all calls. */
interface OfCalls {
  needsDecompressor(): boolean;
  free(): void;
}

/** A part: what the calls are read for. */
export interface Part<T extends OfCalls, News> extends Pick<Builder<T, OpensCalls, News>, 'news' | 'reportMs'> {
  /** Loads the module, and returns its `provideDecompressors`. */
  load(): Promise<(make: (container: string) => object) => void>;
  make(records: Uint8Array, file: RecordFile): T;
  /** Does a turn: about {@link STEP_BYTES} of a file of `size` bytes. Returns whether there is nothing more to do. */
  turn(open: T, size: number): boolean;
  /** How much of the file has been read, from 0 to 1. */
  share(open: T): number;
}

/** Reads a part. */
export interface PartReading<T, News> extends Omit<Building<T, OpensCalls, News>, 'end'> {
  /** Ends the part and frees its memory. */
  end(): void;
}

/** The reading of an apitrace for all its parts. */
export interface CallsReading extends FileBlockService {
  open(file: CallsFile): void;
  /** Keeps less of the file from now on. */
  letGo(): void;
  /** Reads the calls for a part. */
  read<T extends OfCalls, News>(part: Part<T, News>): PartReading<T, News>;
}

/**
 * The reading of a file, without one yet. What is read is kept for all parts, and for other workers. Of a larger file than can
 * be kept, parts that read at the same time go through it together: one that begins later catches up first. What is kept of that is let go
 * once all have read it.
 */
export function createCallsReading(): CallsReading {
  const scheduler = createScheduler();
  let opened: { readonly blocks: FileBlocks; readonly records: Uint8Array } | null = null;
  /** How far in the file the parts are that are reading. */
  const places = new Map<object, number>();
  let waiting: (() => void)[] = [];
  const goOn = () => {
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  };
  const leave = (part: object) => {
    if (places.delete(part) && places.size === 0) opened?.blocks.rest();
    goOn();
  };
  /** Settles when no part is far behind. null if none is. */
  const others = (part: object): Promise<void> | null => {
    const { keepsAll, mostBytes } = opened!.blocks;
    // What the last one is at must still be there, beside the blocks that are read ahead of each.
    const lead = keepsAll ? Number.POSITIVE_INFINITY : mostBytes / 8;
    const isAhead = () => (places.get(part) ?? 0) - Math.min(...places.values()) > lead;
    if (!isAhead()) return null;
    return new Promise<void>((resolve) => {
      waiting.push(resolve);
    }).then(() => others(part) ?? undefined);
  };

  return {
    open: ({ file, records, mostBytes }) => {
      opened = { blocks: new FileBlocks(file, mostBytes), records };
    },
    letGo: () => opened?.blocks.letGo(),
    give: async (number) => opened?.blocks.give(number) ?? null,
    read: <T extends OfCalls, News>(part: Part<T, News>): PartReading<T, News> => {
      const { blocks, records } = opened!;
      const file = new RecordFile(blocks);
      const building = createBuilding<T, OpensCalls, News>(
        {
          open: async () => {
            const provide = await part.load();
            const open = part.make(records, file);
            if (open.needsDecompressor()) await loadDecompressors(provide);
            await file.arrival();
            return open;
          },
          turn: (open) => {
            try {
              const isDone = part.turn(open, file.size);
              file.at = part.share(open) * file.size;
              places.set(part, file.at);
              goOn();
              return isDone;
            } catch (thrown) {
              leave(part);
              throw thrown;
            }
          },
          arrival: () => others(part)?.then(() => file.arrival() ?? undefined) ?? file.arrival(),
          news: (open, at) => {
            if (at.isDone || at.isStopped) leave(part);
            return part.news(open, at);
          },
          reportMs: part.reportMs,
        },
        scheduler,
      );
      return {
        ...building,
        end: () => {
          leave(part);
          building.end((open) => open.free());
        },
      };
    },
  };
}
