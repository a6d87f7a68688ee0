import type { BindTo, BoundExpression, BoundFilter, BoundPoints, WrongExpression } from '../base/find_protocol.ts';
import { notLoaded } from './errors.ts';
import type { Language } from './language.ts';
import type { Session } from './session.ts';

/** An expression about the trace of a session, or why it is not one. `load` loads the filter language. */
export async function bind(
  load: () => Promise<Language>,
  session: Session,
  text: string,
  to: BindTo,
): Promise<BoundExpression | BoundFilter | BoundPoints | WrongExpression> {
  try {
    const { Binder } = await load();
    // Names may have other texts than for the search before.
    const binder = new Binder(session.findContext(/frame/i.test(text)));
    try {
      switch (to.what) {
        case 'all':
          return binder.bind(text);
        case 'slices':
          return binder.bindWithin(text, to.from, to.to, to.tracks);
        case 'records':
          return binder.bindFilter(text);
        case 'points':
          return binder.points();
      }
    } finally {
      binder.free();
    }
  } catch {
    return { sentence: notLoaded('The search').sentence, at: 0, length: 0 };
  }
}
