import { createSurvey, type Survey } from '../../model/survey.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import surveyWorker from '../../worker/survey.ts?worker&url';
import { startWorker } from '../workers.ts';

/** The surveys of open traces: each keeps what it knows while nothing shows it. */
const surveys = new WeakMap<OpenTrace, Survey>();

/** The survey of a trace. It begins with the first call. */
export function surveyOf(open: OpenTrace): Survey {
  const known = surveys.get(open);
  if (known) return known;
  const survey = createSurvey(open.trace, () => startWorker(surveyWorker));
  surveys.set(open, survey);
  open.scope.add(survey.dispose);
  return survey;
}
