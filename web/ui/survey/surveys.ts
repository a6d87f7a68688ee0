import { createGraphics } from '../../model/graphics.ts';
import { type Opened, perTrace } from '../../model/per_trace.ts';
import { createSurvey } from '../../model/survey.ts';
import graphicsWorker from '../../worker/graphics.ts?worker&url';
import { startWorker } from '../workers.ts';

/** The worker that reads the calls of a trace. It starts with the first part. */
export const graphicsOf = perTrace(({ trace }: Opened) => createGraphics(trace, () => startWorker(graphicsWorker)));

/** The survey of a trace. It begins with the first call. */
export const surveyOf = perTrace((open: Opened) => createSurvey(open.trace, graphicsOf(open)));
