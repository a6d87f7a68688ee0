import type { FromGlFindings, ToGlFindings } from '../../base/survey_protocol.ts';
import { watch } from '../../base/watch.ts';
import type { FindingKind, FindingSource } from '../../model/findings.ts';
import type { OpenTrace } from '../../model/open_trace.ts';
import { createReadingWorker, type NewsOf } from '../../model/reading_worker.ts';
import findingsWorker from '../../worker/findings.ts?worker&url';
import { startWorker } from '../workers.ts';

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

/** Looks for findings in the calls of an apitrace, in a worker that ends with the search. */
export function graphicsFindings({ trace }: OpenTrace): FindingSource {
  return {
    kinds: KINDS,
    look: (report) => {
      const worker = createReadingWorker<ToGlFindings, NewsOf<FromGlFindings>, never>(trace, {
        spawn: () => startWorker(findingsWorker),
        open: async () => {
          const file = await trace.recordSource.file();
          const records = await trace.recordSource.index();
          return file && records && [{ t: 'open', file, records }, [records.buffer]];
        },
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
