import { type Signal, signal } from '@preact/signals';
import { formatBytes } from '../base/format.ts';
import type { FromWorker } from '../base/messages.ts';
import { sweepSoon } from '../base/spools.ts';

/** The file without its containers. */
export interface Contents {
  readonly content: Signal<Blob | null>;
  readonly shortage: Signal<string>;
  /** The write-ahead log that was packed with a database, or null. */
  log(): Blob | null;
  /** Resolves with null if the worker ends before. */
  readonly arrival: Promise<Blob | null>;
  hear(report: FromWorker): void;
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
  let packed = false;
  let log: Blob | null = null;
  const set = (found: Blob) => {
    content.value = found;
    resolve(found);
  };
  return {
    content,
    shortage,
    arrival,
    log: () => log,
    hear: (report) => {
      if (report.t === 'opened' && !report.packed) set(file);
      if (report.t !== 'unpacked') return;
      packed = true;
      log = report.log;
      set(report.file);
      if (report.whole) return;
      shortage.value = `The browser has room for the first ${formatBytes(report.file.size)} of the unpacked file only. Details and lists of records end there.`;
    },
    end: () => {
      resolve(null);
      if (packed) sweepSoon();
    },
  };
}
