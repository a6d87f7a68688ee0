import type { FindingsNews, FindsInCalls, OpensCalls } from '../../base/survey_protocol.ts';
import { watch } from '../../base/watch.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { FindingKind, FindingSource } from '../../trace/findings.ts';
import { createReadingWorker } from '../../trace/reading_worker.ts';
import { graphicsOf } from '../../trace/surveys.ts';

/** The kinds, as `Kind` in `crate/graphics/src/findings/mod.rs`. docs/graphics.md defines each. */
const KINDS: readonly FindingKind[] = [
  { id: 'error', title: 'Errors', says: 'Errors that glGetError returned' },
  { id: 'wait', title: 'Waits', says: 'Calls that return only after the GPU has done earlier work' },
  {
    id: 'clear',
    title: 'Work thrown away',
    says: 'Clears that discard everything draws have written, before anything read it',
  },
  { id: 'upload', title: 'Identical uploads', says: 'Uploads of bytes that are already there' },
  { id: 'bind', title: 'Redundant binds', says: 'Binds of objects that are already bound' },
  { id: 'state', title: 'Redundant state', says: 'Calls that set state to its current value' },
  { id: 'empty', title: 'Empty draws', says: 'Draws of less than one primitive' },
];

/** The kinds for a program that calls these functions: without `glGetError`, nothing says whether there were errors. */
export function kindsFor(functions: readonly string[]): readonly FindingKind[] {
  if (functions.includes('glGetError')) return KINDS;
  const says = 'The program never calls glGetError, so the trace does not say whether there were errors';
  return KINDS.map((kind) => (kind.id === 'error' ? { ...kind, title: 'Errors, never asked for', says } : kind));
}

/** Looks for findings in the calls of an apitrace, until the search ends. */
export function graphicsFindings(open: OpenTrace): FindingSource {
  return {
    kinds: kindsFor(open.trace.names.text),
    look: (report) => {
      const worker = createReadingWorker<FindsInCalls, OpensCalls, FindingsNews>(open.trace, {
        ...graphicsOf(open).part('findings'),
        hear: ({ progress, isDone, findings, standing }) =>
          report({
            share: progress.done / Math.max(1, progress.of),
            isDone,
            error: '',
            standing,
            findings: findings.map(({ kind, sentence, count, amount, unit, calls }) => {
              return { kind, sentence, count, cost: { amount, unit }, positions: calls };
            }),
          }),
        crashed: 'The search for findings stopped unexpectedly. Reload the page to try again.',
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
