import { type Signal, signal } from '@preact/signals';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { perTrace } from '../trace/per_trace.ts';

/** A file with a further run of what a trace is of. */
export interface RunFile {
  readonly file: Blob;
  readonly name: string;
}

/** Which of several runs failed is to be said by the user. */
export interface RunQuestion {
  readonly runs: readonly RunFile[];
  /** Those that may have failed, by their names. */
  readonly guess: ReadonlySet<RunFile>;
  /** Goes on with the runs that failed; null if the user does not say. */
  answer(failed: ReadonlySet<RunFile> | null): void;
}

/** What stands with an open trace on its side of a comparison. It is with the trace when that changes places. */
export const furtherRunsOf = perTrace(
  (
    _: Pick<OpenTrace, 'scope'>,
  ): {
    /** Further runs that stand with it. */
    readonly files: Signal<readonly RunFile[]>;
    /** The view of the panel of differences that is in front; '' for the first one. */
    readonly view: Signal<string>;
    /** null while nothing is asked. */
    readonly question: Signal<RunQuestion | null>;
    /** The user has just said which runs failed, so what ranks them comes to the front. */
    readonly isRanked: Signal<boolean>;
  } => ({ files: signal([]), view: signal(''), question: signal(null), isRanked: signal(false) }),
);
