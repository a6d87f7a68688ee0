import type { CallsFile, OpensCalls } from '../../../base/survey_protocol.ts';
import { type Builder, type Building, createBuilding } from '../../../trace/worker/building.ts';
import { loadDecompressors } from '../../../trace/worker/decompressors.ts';
import { RecordFile, STEP_BYTES } from '../../../trace/worker/record_file.ts';
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
  /** Keeps the file in memory, if it is small: from now on only questions read it. */
  keep(): Promise<void>;
}

/** The reading of an apitrace for all its parts. */
export interface CallsReading {
  open(file: CallsFile): void;
  /** Reads the calls for a part. */
  read<T extends OfCalls, News>(part: Part<T, News>): PartReading<T, News>;
}

/** Bytes that a part may be ahead of another. */
const LEAD = STEP_BYTES;
/** Long reads that are remembered: what is read ahead of the first part, and what the last one still needs. */
const RECENT = 3;

/**
 * The reading of a file, without one yet. Parts that read at the same time go through the file together, so that each of its
 * bytes is read once: one that begins later catches up first.
 */
export function createCallsReading(): CallsReading {
  const scheduler = createScheduler();
  let opened: { readonly file: RecordFile; readonly records: Uint8Array } | null = null;
  /** How far in the file the parts are that are reading. */
  const places = new Map<object, number>();
  let waiting: (() => void)[] = [];
  const goOn = () => {
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  };
  const leave = (part: object) => {
    places.delete(part);
    if (places.size === 0) opened?.file.forget();
    goOn();
  };
  /** Settles when no part is far behind. null if none is. */
  const others = (part: object): Promise<void> | null => {
    const isAhead = () => (places.get(part) ?? 0) - Math.min(...places.values()) > LEAD;
    if (!isAhead()) return null;
    return new Promise<void>((resolve) => {
      waiting.push(resolve);
    }).then(() => others(part) ?? undefined);
  };

  return {
    open: ({ file, records }) => {
      opened = { file: new RecordFile(file), records };
      opened.file.recent = RECENT;
    },
    read: <T extends OfCalls, News>(part: Part<T, News>): PartReading<T, News> => {
      const { file, records } = opened!;
      const building = createBuilding<T, OpensCalls, News>(
        {
          open: async () => {
            const provide = await part.load();
            const open = part.make(records, file);
            if (open.needsDecompressor()) await loadDecompressors(provide);
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
          arrival: () => others(part) ?? file.arrival(),
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
        keep: () => file.keep(),
      };
    },
  };
}
