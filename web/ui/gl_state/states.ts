import { createGlStates } from '../../model/gl_state.ts';
import { perTrace } from '../per_trace.ts';
import { graphicsOf } from '../survey/surveys.ts';

/** The OpenGL state of a trace. Its reading begins with the first call. */
export const glStatesOf = perTrace((open) => createGlStates(open.trace, open.selection, graphicsOf(open)));
