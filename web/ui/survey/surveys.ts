import { createSurvey } from '../../model/survey.ts';
import surveyWorker from '../../worker/survey.ts?worker&url';
import { perTrace } from '../per_trace.ts';
import { startWorker } from '../workers.ts';

/** The survey of a trace. It begins with the first call. */
export const surveyOf = perTrace(({ trace }) => createSurvey(trace, () => startWorker(surveyWorker)));
