import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { perTrace } from '../../../trace/per_trace.ts';
import { graphicsOf } from '../../../trace/surveys.ts';
import { createGlStates } from '../gl_state.ts';

/** The OpenGL state of a trace. Its reading begins with the first call. */
export const glStatesOf = perTrace((open: OpenTrace) => createGlStates(open.trace, open.selection, graphicsOf(open)));
