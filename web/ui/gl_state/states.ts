import { createGlStates } from '../../model/gl_state.ts';
import glStateWorker from '../../worker/gl_state.ts?worker&url';
import { perTrace } from '../per_trace.ts';
import { startWorker } from '../workers.ts';

/** The OpenGL state of a trace. Its reading begins with the first call. */
export const glStatesOf = perTrace(({ trace, selection }) =>
  createGlStates(trace, selection, () => startWorker(glStateWorker)),
);
