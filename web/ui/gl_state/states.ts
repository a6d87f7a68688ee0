import { createGlStates } from '../../model/gl_state.ts';
import type { OpenTrace } from '../../model/open_trace.ts';
import { perTrace } from '../../model/per_trace.ts';
import { graphicsOf } from '../survey/surveys.ts';

/** The OpenGL state of a trace. Its reading begins with the first call. */
export const glStatesOf = perTrace((open: OpenTrace) => createGlStates(open.trace, open.selection, graphicsOf(open)));
