import { type Signal, signal } from '@preact/signals';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { perTrace } from '../trace/per_trace.ts';

/** A file with a further run of what a trace is of. */
export interface RunFile {
  readonly file: Blob;
  readonly name: string;
}

/** Further runs that stand with an open trace on its side of a comparison. They are with the trace when it changes places. */
export const furtherRunsOf = perTrace(
  (_: Pick<OpenTrace, 'scope'>): { readonly files: Signal<readonly RunFile[]> } => ({
    files: signal<readonly RunFile[]>([]),
  }),
);
