import type { FindingKind, FindingSource } from '../../model/findings.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import { surveyOf } from '../survey/surveys.ts';

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

/** Looks for findings in the calls of an apitrace. */
export function graphicsFindings(open: OpenTrace): FindingSource {
  const survey = surveyOf(open);
  return {
    kinds: KINDS,
    look: (report) =>
      survey.find(({ progress, isDone, findings, error }) =>
        report({
          share: progress.done / Math.max(1, progress.of),
          isDone,
          error,
          findings: findings.map(({ kind, sentence, count, amount, unit, calls }) => ({
            kind,
            sentence,
            count,
            cost: { amount, unit },
            positions: calls,
          })),
        }),
      ),
  };
}
