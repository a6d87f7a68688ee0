import { type OpenTrace, sideOf } from '../../timeline/open_trace.ts';
import type { About } from './sql_needs.ts';

/** The trace that is compared with an open one; null if it is alone. Subscribes. */
export function otherOf(open: OpenTrace): OpenTrace | null {
  const pair = open.pair.value;
  return pair && (pair.a === open ? pair.b : pair.a);
}

/** The name under which queries know the tables of a trace: `a` or `b`; '' if it is not compared. Subscribes. */
export function schemaOfSide(open: OpenTrace): 'a' | 'b' | '' {
  return sideOf(open) ?? '';
}

/** The traces that a query asked of an open one is about. Subscribes. */
export function tracesOf(about: About, open: OpenTrace): readonly OpenTrace[] {
  const other = otherOf(open);
  if (!other || about === 'own') return [open];
  return about === 'other' ? [other] : [open, other];
}
