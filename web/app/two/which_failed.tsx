import { useSignal } from '@preact/signals';
import { formatCount, formatCounted, shortened } from '../../base/format.ts';
import type { RunFile, RunQuestion } from '../../page/further_runs.ts';
import { Dialog } from '../../parts/dialog.tsx';
import './which_failed.css';

/** The last run that may have failed, for an example. */
function lastOf(guess: ReadonlySet<RunFile>, runs: readonly RunFile[]): RunFile | undefined {
  return runs.findLast((run) => guess.has(run)) ?? runs.at(-1);
}

/** Asks which of several runs failed. */
export function WhichFailed({ question: { runs, guess, answer } }: { readonly question: RunQuestion }) {
  const failed = useSignal(guess);
  const choose = (run: RunFile, has: boolean) => {
    const next = new Set(failed.peek());
    if (has) next.add(run);
    else next.delete(run);
    failed.value = next;
  };
  const count = failed.value.size;
  const isSorted = count > 0 && count < runs.length;
  return (
    <Dialog class="which-failed" title="which-failed-title" close={() => answer(null)}>
      <form
        class="which-failed-inner column"
        onSubmit={(event) => {
          event.preventDefault();
          if (isSorted) answer(failed.peek());
        }}
      >
        <h2 id="which-failed-title">Which of these failed?</h2>
        <p class="muted">
          Statements and values are ranked by how much they go with failing. A text file with lines such as{' '}
          <code>fail {shortened(lastOf(guess, runs)?.name ?? '')}</code> and{' '}
          <code>pass {shortened(runs[0]?.name ?? '')}</code>, dropped along, says it, too.
        </p>
        <ul class="plain">
          {runs.map((run) => (
            <li key={run.name}>
              <label>
                <input
                  type="checkbox"
                  checked={failed.value.has(run)}
                  onChange={(event) => choose(run, event.currentTarget.checked)}
                />{' '}
                {shortened(run.name)}
              </label>
            </li>
          ))}
        </ul>
        <p role="status">
          {isSorted
            ? `${formatCounted(count, 'run')} failed, ${formatCount(runs.length - count)} passed`
            : count === 0
              ? 'Choose at least one run that failed.'
              : 'At least one run must have passed.'}
        </p>
        <div class="row">
          <button type="submit" class="primary" disabled={!isSorted}>
            Find suspects
          </button>
          <button type="button" onClick={() => answer(null)}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
