import { NO_TRANSFORMS, type Transforms } from '../base/calls_protocol.ts';
import { type Portions, portionsOf } from '../base/portions.ts';
import type { ListedNames } from './names.ts';
import type { Change } from './transforms.ts';

const KINDS = ['collapse', 'focus', 'hide', 'only'] as const;

/** Whether a name matches, or what is wrong with the filter, in a sentence. */
export type Filter =
  | { readonly matches: (name: string) => boolean; readonly error: null }
  | { readonly error: string; readonly matches: null };

/**
 * Reads a filter: `/regex/` or `/regex/i` for a regular expression, anything else for a part of the name in upper or lower
 * case.
 */
export function parseFilter(text: string): Filter {
  const expression = text.trim();
  const match = /^\/(.+)\/(i?)$/.exec(expression);
  if (!match) {
    const part = expression.toLowerCase();
    return { matches: (name) => name.toLowerCase().includes(part), error: null };
  }
  try {
    const pattern = new RegExp(match[1]!, match[2]);
    return { matches: (name) => pattern.test(name), error: null };
  } catch (error) {
    const reason = (error as SyntaxError).message.replace(/^Invalid regular expression: /, '');
    return { matches: null, error: `Invalid regular expression ${reason}` };
  }
}

/** Changes as they cross to the worker. A filter becomes the names that it matches. */
export function* transformsOf(changes: readonly Change[], names: ListedNames): Portions<Transforms> {
  if (changes.length === 0) return NO_TRANSFORMS;
  const ends: number[] = [];
  const ids: number[] = [];
  for (const change of changes) {
    if (change.kind === 'only') {
      const { matches } = parseFilter(change.text);
      // By id or address, too, where another text is shown.
      const fits = (id: number) => matches?.(names.of(id)) || matches?.(names.keyOf(id));
      yield* portionsOf(names.text.length, (start, end) => {
        for (let id = start; id < end; id += 1) if (fits(id)) ids.push(id);
      });
    } else if (change.kind !== 'collapse') {
      ids.push(change.name);
    }
    ends.push(ids.length);
  }
  return {
    kinds: Uint8Array.from(changes, ({ kind }) => KINDS.indexOf(kind)),
    ends: Uint32Array.from(ends),
    names: Uint32Array.from(ids),
  };
}
