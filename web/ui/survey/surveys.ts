import { type Opened, perTrace } from '../../model/per_trace.ts';
import { createSurvey } from '../../model/survey.ts';
import surveyWorker from '../../worker/survey.ts?worker&url';
import { startWorker } from '../workers.ts';

/** The survey of a trace. It begins with the first call. */
export const surveyOf = perTrace(({ trace }: Opened) => createSurvey(trace, () => startWorker(surveyWorker)));
