import type { Signal } from '@preact/signals';
import type { OpenTrace, Pair } from '../timeline/open_trace.ts';
import type { TraceFile } from '../trace/trace.ts';
import type { Net } from './download.ts';
import type { RunFile } from './further_runs.ts';
import type { SecondTrace } from './opening.ts';

/** The workbench, as far as a second trace changes it. */
export interface Opener {
  readonly pair: Signal<Pair | null>;
  /** The trace that panels, header and keys are about. */
  inFront(): OpenTrace | null;
  show(open: OpenTrace): void;
  /** Opens a file beside what is open, without showing it. */
  make(file: TraceFile): OpenTrace;
  /** Whether a trace is open still. */
  isOpen(open: OpenTrace): boolean;
  /** Closes a trace and frees its memory. */
  end(open: OpenTrace): void;
  readonly net: Net;
  /** The addresses that files were downloaded from. */
  readonly urls: WeakMap<Blob, string>;
  /** Shows a notice that informs. */
  tell(sentence: string): void;
  /** Shows a notice about a failure. */
  warn(sentence: string): void;
}

/** A file to compare, and what came with it. */
export interface ComparedFile extends TraceFile, Pick<SecondTrace, 'listed' | 'others'> {
  /** Further runs of the base, and of it. */
  readonly runs?: readonly [readonly RunFile[], readonly RunFile[]];
}
