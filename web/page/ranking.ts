import { shortened } from '../base/format.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { furtherRunsOf, type RunFile } from './further_runs.ts';
import type { ComparedFile, Opener } from './opener.ts';
import { soundsFailed } from './run_list.ts';

/** The view of the panel of differences that ranks what goes with failing. */
export const SUSPECTS = 'suspects';

/** The two traces of runs that are compared: one that passed and one that failed. */
export interface Ranked {
  readonly a: OpenTrace;
  readonly b: OpenTrace;
}

/**
 * Sorts runs by whether they failed: as a list among the files says, or else the user. The base is then one that passed, and what it is
 * compared with one that failed; the others are further runs of theirs. Of the two traces that are open, those are closed that are not
 * needed. Resolves with null if the user does not say.
 */
export async function sortRuns(
  opener: Opener,
  base: OpenTrace,
  open: OpenTrace,
  { listed, others, runs: sides }: ComparedFile,
): Promise<Ranked | null> {
  const runOf = ({ file, trace }: OpenTrace): RunFile => ({ file, name: trace.name });
  const [first, second] = [runOf(base), runOf(open)];
  const all = [first, ...(sides?.[0] ?? []), second, ...(sides?.[1] ?? []), ...(others?.files ?? [])];
  const verdict = ({ name }: RunFile) => listed?.failed.get(name);
  const isSorted = [true, false].every((failed) => all.some((run) => verdict(run) === failed));
  const failed = isSorted ? new Set(all.filter(verdict)) : await whichFailed(base, all, second, sides?.[1] ?? []);
  if (!failed || !opener.isOpen(base) || !opener.isOpen(open)) return null;
  const counted = isSorted ? all.filter((run) => verdict(run) !== undefined) : all;
  const left = all.filter((run) => !counted.includes(run)).map(({ name }) => shortened(name));
  const known = new Map([
    [first, base],
    [second, open],
  ]);
  const sideOf = (of: readonly RunFile[]): OpenTrace => {
    const shown = of.find((run) => known.has(run)) ?? of[0]!;
    const companions = base.trace.companions.peek().filter(({ kind }) => kind === 'names');
    const made = known.get(shown) ?? opener.make({ ...shown, companions });
    const { files, view, isRanked } = furtherRunsOf(made);
    files.value = of.filter((run) => run !== shown);
    view.value = SUSPECTS;
    isRanked.value = true;
    return made;
  };
  const a = sideOf(counted.filter((run) => !failed.has(run)));
  const b = sideOf(counted.filter((run) => failed.has(run)));
  if (left.length > 0) opener.warn(`${listed?.name ?? ''} does not say whether ${left.join(', ')} failed.`);
  return { a, b };
}

/** Asks which runs failed, beside the base. */
function whichFailed(
  base: OpenTrace,
  runs: readonly RunFile[],
  second: RunFile,
  after: readonly RunFile[],
): Promise<ReadonlySet<RunFile> | null> {
  const { question } = furtherRunsOf(base);
  const named = runs.filter(({ name }) => soundsFailed(name));
  // Of two sides, the later one may be what failed.
  const guess = new Set(named.length > 0 || after.length === 0 ? named : [second, ...after]);
  return new Promise((resolve) => {
    const answer = (failed: ReadonlySet<RunFile> | null) => {
      question.value = null;
      resolve(failed);
    };
    base.scope.add(() => resolve(null));
    question.value = { runs, guess, answer };
  });
}
