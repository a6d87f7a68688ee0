import { createGlStates } from '../../model/gl_state.ts';
import type { OpenTrace } from '../../model/open_trace.ts';
import { perTrace } from '../../model/per_trace.ts';
import glStateWorker from '../../worker/gl_state.ts?worker&url';
import { startWorker } from '../workers.ts';

/** The OpenGL state of a trace. Its reading begins with the first call. */
export const glStatesOf = perTrace(({ trace, selection }: OpenTrace) =>
  createGlStates(trace, selection, () => startWorker(glStateWorker)),
);
