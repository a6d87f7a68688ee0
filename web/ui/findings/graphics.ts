import type { FindingsNews, FindsInCalls, OpensCalls } from '../../base/survey_protocol.ts';
import { watch } from '../../base/watch.ts';
import type { FindingKind, FindingSource } from '../../model/findings.ts';
import { createReadingWorker } from '../../model/reading_worker.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import { graphicsOf } from '../survey/surveys.ts';

/** The kinds, as `Kind` in `crate/graphics/src/findings/mod.rs`. docs/graphics.md defines each. */
const KINDS: readonly FindingKind[] = [
  { id: 'error', title: 'Errors', says: 'Errors that glGetError returned' },
  { id: 'wait', title: 'Waits', says: 'Calls that return only after the GPU has done earlier work' },
  { id: 'clear', title: 'Work thrown away', says: 'Clears of all that draws have written, which nothing has read' },
  { id: 'upload', title: 'Identical uploads', says: 'Uploads of the bytes that are already in the same place' },
  { id: 'bind', title: 'Redundant binds', says: 'Binds of what is bound' },
  { id: 'state', title: 'Redundant state', says: 'Calls that set state to the value that it has' },
  { id: 'empty', title: 'Empty draws', says: 'Draws without a whole primitive' },
];

/** Looks for findings in the calls of an apitrace, until the search ends. */
export function graphicsFindings(open: OpenTrace): FindingSource {
  return {
    kinds: KINDS,
    look: (report) => {
      const worker = createReadingWorker<FindsInCalls, OpensCalls, FindingsNews>(open.trace, {
        ...graphicsOf(open).part('findings'),
        hear: ({ progress, isDone, findings }) =>
          report({
            share: progress.done / Math.max(1, progress.of),
            isDone,
            error: '',
            findings: findings.map(({ kind, sentence, count, amount, unit, calls }) => {
              return { kind, sentence, count, cost: { amount, unit }, positions: calls };
            }),
          }),
        crashed: 'The search for findings ended unexpectedly. Reload the page to try again.',
      });
      const unwatch = watch([worker.error], () => {
        const error = worker.error.peek();
        if (error !== '') report({ share: 0, isDone: true, error, findings: [] });
      });
      return () => {
        unwatch();
        worker.dispose();
      };
    },
  };
}
