import type { CompanionKind, Look } from '../base/companions.ts';
import { formatCount, formatCounted, shortened } from '../base/format.ts';
import type { RemoteWorker } from '../base/remote.ts';
import type { TraceService } from '../base/trace_protocol.ts';
import { connectTo } from '../trace/service.ts';
import { LONGEST_LIST, parseRunList, type RunList } from './run_list.ts';

/** A file that the user chose. */
export interface Chosen {
  readonly file: Blob;
  readonly name: string;
}

/** The trace that is open. */
export interface Shown {
  /** The kinds of companions that it takes. */
  readonly takes: readonly CompanionKind[];
}

/** What files were chosen for: to open a trace, the same by dropping them on the page, or to compare a trace with the open one. */
export type Purpose = 'open' | 'drop' | 'compare';

/** What to do with files that were chosen together. Numbers are indices of files. */
export interface Plan {
  /** The trace to open, or null if there is none among them. */
  readonly trace: number | null;
  /** Companions of the trace to open, or of the one that is open, or of one that is still to come. */
  readonly companions: readonly { readonly file: number; readonly kind: CompanionKind }[];
  /** A second trace of the same format, to compare with the first one, with its companions. */
  readonly second: SecondTrace | null;
  /** Why files were left out, in one or more sentences. Empty if none was. */
  readonly notice: string;
}

/** What the first trace is compared with. */
export interface SecondTrace extends Pick<Plan, 'companions'> {
  readonly file: number;
  /** Further runs of the first trace, and of this one. */
  readonly runs?: readonly [readonly Chosen[], readonly Chosen[]];
  /** Further traces of the format, and what is said if these cannot be ranked with the two. */
  readonly others?: { readonly files: readonly Chosen[]; readonly notice: string };
  /** Which of the traces failed. */
  readonly listed?: RunList;
}

/** A file that waits for the user to agree that it replaces the open trace. */
export interface Offer {
  readonly name: string;
  /** Whether another page has sent it, and not the user opened it. */
  readonly isSent: boolean;
  accept(): void;
  /** Compares it with the open trace; null if that cannot be. */
  readonly compare: (() => void) | null;
  decline(): void;
}

/** What a file is, also if it says which traces failed. */
export interface LookedAt extends Look {
  readonly list?: RunList | null;
}

/** Files that are being looked at. */
export interface Looking {
  readonly files: number;
}

/** Files named one by one in a notice. */
const NAMED = 3;

/**
 * Decides what to do with files by what they are. The trace is the one that is most certainly one, the first of several. Two of one format
 * are compared, the one that was written last with the other, or the second with the first if both were written at once; several are runs
 * of two sides, if their names are alike but for a last number on each. A companion whose name begins like that of a trace, or of its runs,
 * is of that one only, and of two whose names differ in numbers only, the older one is of the older trace.
 * `shown` is the open trace, or null.
 */
export function planFor(files: readonly Chosen[], looks: readonly LookedAt[], shown: Shown | null): Plan {
  let trace: number | null = null;
  looks.forEach(({ format, confidence }, i) => {
    if (format !== null && (trace === null || confidence > looks[trace]!.confidence)) trace = i;
  });
  const first = trace;
  let second: number | null = null;
  const sides = first === null ? null : sidesOf(files, looks, looks[first]!.format);
  const companions: { file: number; kind: CompanionKind }[] = [];
  const reasons: string[] = [];
  const others: Chosen[] = [];
  const tooMany: string[] = [];
  const furtherTraces: string[] = [];
  const listed = looks.find(({ list }) => list)?.list ?? null;
  looks.forEach(({ format, companion, looks: like, list }, file) => {
    const name = shortened(files[file]!.name);
    if (file === first || (list && list === listed)) return;
    if (sides?.flat().includes(file)) second = sides[1][0]!;
    else if (format !== null && first !== null && second === null && format === looks[first]!.format) second = file;
    else if (format !== null) {
      const isAlike = second !== null && format === looks[first ?? -1]?.format;
      if (isAlike) others.push(files[file]!);
      (isAlike ? tooMany : furtherTraces).push(name);
    } else if (companion !== null && (first !== null || !shown || shown.takes.includes(companion))) {
      companions.push({ file, kind: companion });
    } else if (companion !== null) reasons.push(`${name} is ${like ?? 'a companion'}, which this trace cannot use.`);
    else if (like !== null) reasons.push(`${name} looks like ${like}, not like a trace.`);
    else reasons.push(`${name} is not a file that Unspool can open.`);
  });
  const notice = together([...further(furtherTraces), ...reasons]);
  if (first === null || second === null) return { trace: first, companions, second: null, notice };
  // What was written first is what the other is compared with. Of equal times, as of files of an archive, it is the first in the choice: an
  // empty trace is less certain than a full one, and that says nothing about its age.
  const isSecondOlder = (writtenAt(files[second]!) - writtenAt(files[first]!) || second - first) < 0;
  const [a, b] = sides ? [sides[0][0]!, second] : isSecondOlder ? [second, first] : [first, second];
  const nameOf = (file: number) => files[file]!.name;
  const stemOf = (file: number) => nameOf(file).replace(/\..*/, '');
  const runsOf = (file: number) => stemOf(file).replace(/[-_]?\d+$/, '');
  const genericOf = (file: number) => nameOf(file).replace(/\d+/g, '#');
  /** The trace that a companion is of; null if it may be of both. */
  const ownerOf = ({ file, kind }: Plan['companions'][number]): number | null => {
    // Of a run, too: before.elf is of before-1.xray.
    for (const of of [stemOf, runsOf]) {
      if (of(a) === of(b)) continue;
      if (stemOf(file) === of(a)) return a;
      if (stemOf(file) === of(b)) return b;
    }
    // Two builds of one program, such as app1.elf and app2.elf.
    const builds = companions.filter((other) => other.kind === kind && genericOf(other.file) === genericOf(file));
    const [one, two] = builds;
    if (!one || !two || builds.length > 2) return null;
    const since =
      writtenAt(files[one.file]!) - writtenAt(files[two.file]!) || (nameOf(one.file) < nameOf(two.file) ? -1 : 1);
    const older = since < 0 ? one : two;
    return file === older.file ? a : b;
  };
  const of = (trace: number) => companions.filter((companion) => [null, trace].includes(ownerOf(companion)));
  const runs = sides && { runs: sides.map((side) => side.slice(1).map((run) => files[run]!)) as [Chosen[], Chosen[]] };
  const more = {
    ...runs,
    ...(others.length > 0 && {
      others: { files: others, notice: together([...further([...furtherTraces, ...tooMany]), ...reasons]) },
    }),
    ...(listed && { listed }),
  };
  return { trace: a, companions: of(a), second: { file: b, companions: of(b), ...more }, notice };
}

/**
 * More than two traces of one format as the runs of two sides: those of a side have names that differ in the last number only, such as
 * `before-1.xray` and `before-2.xray`. The side that was written first is the base. null if they are not of two sides.
 */
function sidesOf(
  files: readonly Chosen[],
  looks: readonly Look[],
  format: string | null,
): readonly [readonly number[], readonly number[]] | null {
  const groups = new Map<string, number[]>();
  looks.forEach((look, file) => {
    if (look.format === null || look.format !== format) return;
    const side = files[file]!.name.replace(/\..*/, '').replace(/\d+$/, '');
    groups.set(side, [...(groups.get(side) ?? []), file]);
  });
  const [one, two] = groups.values();
  if (!one || !two || groups.size !== 2 || one.length + two.length < 3) return null;
  const since = (side: readonly number[]) => Math.min(...side.map((file) => writtenAt(files[file]!)));
  return since(two) < since(one) ? [two, one] : [one, two];
}

/** Milliseconds since 1970 at which a file was written last; 0 if that is not known. */
function writtenAt({ file }: Chosen): number {
  return 'lastModified' in file ? (file as File).lastModified : 0;
}

/** One sentence about the traces that are not opened, and what can be done with them. */
function further(names: readonly string[]): readonly string[] {
  const [name] = names;
  if (name === undefined) return [];
  const rest = names.length - NAMED;
  const list = `${names.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}`;
  const beginning =
    names.length === 1 ? `${name} is not shown` : `${formatCount(names.length)} more traces are not shown: ${list}`;
  return [
    `${beginning}. Two of one format are compared. Runs of two sides are, too, if they are named like before-1, before-2 and after-1.`,
  ];
}

function together(reasons: readonly string[]): string {
  const more = reasons.length - NAMED;
  const named = reasons.slice(0, NAMED).join(' ');
  if (reasons.length === 0) return '';
  return `${named}${more > 0 ? ` ${formatCounted(more, 'more file')} cannot be shown.` : ''}`;
}

/** Asks a worker what files are. Resolves with null if the worker does not load. It has no other listener meanwhile. */
export async function lookAt(worker: RemoteWorker, files: readonly Chosen[]): Promise<readonly LookedAt[] | null> {
  const { remote, close } = connectTo<TraceService>(worker);
  try {
    const looks = await remote.look(files.map(({ file, name }) => ({ file, name })));
    return await Promise.all(
      looks.map(async (look, i): Promise<LookedAt> => {
        const { file, name } = files[i]!;
        // The write-ahead log of a database is empty before its first transaction and after a checkpoint.
        if (file.size === 0 && name.endsWith('-wal')) return { ...look, companion: 'wal' };
        const isText = look.format === null && file.size <= LONGEST_LIST;
        return isText && files.length > 2 ? { ...look, list: parseRunList(name, await file.text()) } : look;
      }),
    );
  } catch {
    return null;
  } finally {
    close('It has looked.');
    worker.onmessage = null;
    worker.onerror = null;
    worker.onmessageerror = null;
  }
}
