import { type Signal, signal } from '@preact/signals';
import { formatBytes } from '../base/format.ts';
import { sweepSoon } from '../base/spools.ts';
import type { TraceReports } from '../base/trace_protocol.ts';

/** The file without its containers. The worker reports what it has of it. */
export interface Contents extends Pick<TraceReports, 'unpacked' | 'kept'> {
  readonly content: Signal<Blob | null>;
  readonly shortage: Signal<string>;
  /** Takes a file with the same bytes in place of the one that was opened, which the browser does not read any more. */
  replace(file: Blob): void;
  /** The write-ahead log that was packed with a database, or null. */
  log(): Blob | null;
  /** Resolves with null if the worker ends before. */
  readonly arrival: Promise<Blob | null>;
  /** The file was recognised. */
  opened(isPacked: boolean): void;
  end(): void;
}

/** Nothing is unpacked yet. `file` is what was opened. */
export function createContents(file: Blob): Contents {
  const content = signal<Blob | null>(null);
  const shortage = signal('');
  let resolve: (found: Blob | null) => void = () => undefined;
  const arrival = new Promise<Blob | null>((settle) => {
    resolve = settle;
  });
  let bare = file;
  let isKept = false;
  let packed = false;
  let log: Blob | null = null;
  const set = (found: Blob) => {
    content.value = found;
    resolve(found);
  };
  const replace = (found: Blob) => {
    // What is kept does not change. It may be less than all.
    if (isKept && bare.size >= file.size) return;
    bare = found;
    if (!packed && content.peek()) set(found);
  };
  return {
    replace,
    content,
    shortage,
    arrival,
    log: () => log,
    kept: (found) => {
      replace(found);
      isKept = true;
    },
    opened: (isPacked) => {
      if (!isPacked) set(bare);
    },
    unpacked: (file, itsLog, isWhole) => {
      packed = true;
      log = itsLog;
      set(file);
      if (isWhole) return;
      shortage.value = `The browser has room for only the first ${formatBytes(file.size)} of the unpacked file. Details and lists of records end there.`;
    },
    end: () => {
      resolve(null);
      sweepSoon();
    },
  };
}
