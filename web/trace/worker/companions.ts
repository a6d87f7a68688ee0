import type { Attachment, CompanionFile } from '../../base/companions.ts';
import { formatCount, formatCounted } from '../../base/format.ts';
import { loadSymbols } from './symbols.ts';
import type { Log } from './wal.ts';

/** Bytes of the largest file of names that is read: it is in memory as a whole. */
const LARGEST = 256 * 1024 * 1024;

/** What names need of a session. */
export interface Named {
  nameBy(companion: number, naming: Uint8Array): void;
  namedBy(companion: number): number;
  forgetNames(companion: number): void;
}

/** The files of names of one trace. */
export interface Names {
  /** Reads a file of names and shows the trace with them. */
  attach(companion: CompanionFile): Promise<void>;
  detach(companion: number): void;
  /** Reports again how many names are in use, because there are more of them now. */
  report(): void;
}

interface Read {
  readonly count: number;
  readonly skipped: number;
  readonly firstSkipped: number;
}

/**
 * The names of a trace, without any yet. `run` calls something with the session, `reading` says whether the trace is still
 * being read, `tell` sends a report to the page, `noun` is what is named. A failure is reported, too.
 */
export function createNames(
  run: (work: (session: Named) => void) => void,
  reading: () => boolean,
  tell: (attachment: Attachment) => void,
  noun: () => string,
): Names {
  const read = new Map<number, Read>();
  const detached = new Set<number>();
  const report = (companion: number, what: Read) => {
    run((session) => tell({ companion, ...inWords(what, session.namedBy(companion), reading(), noun()) }));
  };
  return {
    attach: async ({ id, file }) => {
      try {
        if (file.size > LARGEST) throw { kind: 'limit', sentence: 'A list of names can have at most 256 MB.' };
        const { naming, ...what } = await readNames(file);
        if (detached.has(id)) return;
        read.set(id, what);
        run((session) => session.nameBy(id, naming));
        report(id, what);
      } catch (error) {
        const sentence =
          error instanceof DOMException
            ? 'It cannot be read any more: it was changed, moved or deleted.'
            : typeof error === 'object' && error !== null && 'sentence' in error
              ? String(error.sentence)
              : String(error);
        tell({ companion: id, sentence, wrong: true });
      }
    },
    detach: (companion) => {
      detached.add(companion);
      if (read.delete(companion)) run((session) => session.forgetNames(companion));
      for (const [other, what] of read) report(other, what);
    },
    report: () => {
      for (const [companion, what] of read) report(companion, what);
    },
  };
}

async function readNames(file: Blob): Promise<Read & { naming: Uint8Array }> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const { Symbols } = await loadSymbols();
  const symbols = new Symbols(bytes);
  try {
    return {
      count: symbols.count(),
      skipped: symbols.skipped(),
      firstSkipped: symbols.firstSkipped(),
      naming: symbols.naming(),
    };
  } finally {
    symbols.free();
  }
}

function inWords(
  { count, skipped, firstSkipped }: Read,
  used: number,
  reading: boolean,
  noun: string,
): Omit<Attachment, 'companion'> {
  const left =
    skipped === 0
      ? ''
      : ` ${formatCounted(skipped, 'line')} without a name ${skipped === 1 ? 'was' : 'were'} left out${skipped === 1 ? ': line' : ', the first is line'} ${formatCount(firstSkipped)}.`;
  if (count === 0) return { sentence: `It has no names.${left}`, wrong: true };
  if (used === 0 && !reading) {
    const none =
      count === 1 ? `Its name matches no ${noun}` : `None of its ${formatCount(count)} names matches a ${noun}`;
    return { sentence: `${none} of this trace.${left}`, wrong: true };
  }
  return { sentence: `It names ${formatCounted(used, noun)} of this trace.${left}`, wrong: false };
}

/** What there is to say about a write-ahead log. `matches` says that its pages have the size of the database's. */
export function aboutLog(log: Log | null, matches: boolean): Omit<Attachment, 'companion'> {
  if (!log) return { sentence: 'It is not the write-ahead log of a database.', wrong: true };
  if (!matches) return { sentence: 'It belongs to another database: its pages have another size.', wrong: true };
  const added = `It adds ${formatCounted(log.transactions, 'transaction')} to the database.`;
  if (log.damagedAt !== null) {
    const at = formatCount(log.damagedAt);
    const lost = `It is damaged or incomplete at byte ${at}, and the rest is left out.`;
    return { sentence: log.transactions === 0 ? lost : `${added} ${lost}`, wrong: true };
  }
  if (log.transactions === 0) return { sentence: 'It is empty: the database has everything.', wrong: false };
  return { sentence: added, wrong: false };
}
