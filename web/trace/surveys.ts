import { startWorker } from '../base/workers.ts';
import graphicsWorker from '../features/graphics/worker/graphics.ts?worker&url';
import { createGraphics } from './graphics.ts';
import { type Opened, perTrace } from './per_trace.ts';
import { createSurvey } from './survey.ts';

/** The worker that reads the calls of a trace. It starts with the first part. */
export const graphicsOf = perTrace(({ trace }: Opened) => createGraphics(trace, () => startWorker(graphicsWorker)));

/** The survey of a trace. It begins with the first call. */
export const surveyOf = perTrace((open: Opened) => createSurvey(open.trace, graphicsOf(open)));
