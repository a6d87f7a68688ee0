import { createGlStates, type GlStates } from '../../model/gl_state.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import glStateWorker from '../../worker/gl_state.ts?worker&url';
import { startWorker } from '../workers.ts';

/** The states of open traces: each keeps what it knows while nothing shows it. */
const all = new WeakMap<OpenTrace, GlStates>();

/** The OpenGL state of a trace. Its reading begins with the first call. */
export function glStatesOf(open: OpenTrace): GlStates {
  const known = all.get(open);
  if (known) return known;
  const states = createGlStates(open.trace, open.selection, () => startWorker(glStateWorker));
  all.set(open, states);
  open.scope.add(states.dispose);
  return states;
}
