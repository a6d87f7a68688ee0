import type { CompanionKind, Look } from '../base/companions.ts';
import { formatCounted, shortened } from '../base/format.ts';
import type { RemoteWorker } from '../base/remote.ts';
import type { TraceService } from '../base/trace_protocol.ts';
import { connectTo } from '../trace/service.ts';

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

/** What to do with files that were chosen together. Numbers are indices of files. */
export interface Plan {
  /** The trace to open, or null if there is none among them. */
  readonly trace: number | null;
  /** Companions of the trace to open, or of the one that is open, or of one that is still to come. */
  readonly companions: readonly { readonly file: number; readonly kind: CompanionKind }[];
  /** Why files were left out, in one or more sentences. Empty if none was. */
  readonly notice: string;
}

/** A file that waits for the user to agree that it replaces the open trace. */
export interface Offer {
  readonly name: string;
  /** Whether another page has sent it, and not the user opened it. */
  readonly isSent: boolean;
  accept(): void;
  decline(): void;
}

/** Files that are being looked at. */
export interface Looking {
  readonly files: number;
}

/** Files named one by one in a notice. */
const NAMED = 3;

/**
 * Decides what to do with files by what they are. The trace is the one that is most certainly one, the first of several.
 * `shown` is the open trace, or null.
 */
export function planFor(files: readonly Chosen[], looks: readonly Look[], shown: Shown | null): Plan {
  let trace: number | null = null;
  looks.forEach(({ format, confidence }, i) => {
    if (format !== null && (trace === null || confidence > looks[trace]!.confidence)) trace = i;
  });
  const companions: { file: number; kind: CompanionKind }[] = [];
  const reasons: string[] = [];
  looks.forEach(({ format, companion, looks: like }, file) => {
    const name = shortened(files[file]!.name);
    if (file === trace) return;
    if (format !== null) reasons.push(`${name} is another trace; only one is shown at a time.`);
    else if (companion !== null && (trace !== null || !shown || shown.takes.includes(companion))) {
      companions.push({ file, kind: companion });
    } else if (companion !== null) reasons.push(`${name} is ${like ?? 'a companion'}, which this trace cannot use.`);
    else if (like !== null) reasons.push(`${name} looks like ${like}, not like a trace.`);
    else reasons.push(`${name} is not a file that Unspool can open.`);
  });
  return { trace, companions, notice: together(reasons) };
}

function together(reasons: readonly string[]): string {
  const more = reasons.length - NAMED;
  const named = reasons.slice(0, NAMED).join(' ');
  if (reasons.length === 0) return '';
  return `${named}${more > 0 ? ` ${formatCounted(more, 'more file')} cannot be shown.` : ''}`;
}

/** Asks a worker what files are. Resolves with null if the worker does not load. It has no other listener meanwhile. */
export async function lookAt(worker: RemoteWorker, files: readonly Chosen[]): Promise<readonly Look[] | null> {
  const { remote, close } = connectTo<TraceService>(worker);
  try {
    return await remote.look(files.map(({ file, name }) => ({ file, name })));
  } catch {
    return null;
  } finally {
    close('It has looked.');
    worker.onmessage = null;
    worker.onerror = null;
    worker.onmessageerror = null;
  }
}
