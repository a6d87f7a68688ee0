import type { BindService, WrongExpression } from '../../base/find_protocol.ts';
import { notLoaded } from './errors.ts';
import { createLanguageLoader, type Language } from './language.ts';
import type { Session } from './session.ts';

type Binder = InstanceType<Language['Binder']>;

/** Binds expressions to a trace. `session` returns null before it is opened. */
export function createBinding(session: () => Session | null): BindService {
  const load = createLanguageLoader();
  /** Calls `read` with a binder. Returns null without a session, and undefined if the language does not load. */
  const bind = async <T>(text: string, read: (binder: Binder) => T): Promise<T | null | undefined> => {
    const open = session();
    if (!open) return null;
    try {
      const { Binder } = await load();
      // Names may have other texts than for the search before.
      const binder = new Binder(open.findContext(/frame/i.test(text)));
      try {
        return read(binder);
      } finally {
        binder.free();
      }
    } catch {
      return undefined;
    }
  };
  const orWrong = async <T>(bound: Promise<T | null | undefined>): Promise<T | WrongExpression | null> => {
    const read = await bound;
    return read === undefined ? { sentence: notLoaded('The search').sentence, at: 0, length: 0 } : read;
  };
  return {
    bindAll: (text) => orWrong(bind(text, (binder) => binder.bind(text))),
    bindSlices: (text, ...range) => orWrong(bind(text, (binder) => binder.bindWithin(text, ...range))),
    bindRecords: (text) => orWrong(bind(text, (binder) => binder.bindFilter(text))),
    bindPoints: async () => (await bind('', (binder) => binder.points())) ?? null,
  };
}
