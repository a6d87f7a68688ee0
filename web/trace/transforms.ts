import { NO_TRANSFORMS, type Transforms } from '../base/calls_protocol.ts';
import { type Portions, portionsOf } from '../base/portions.ts';
import type { ListedNames, Names } from './names.ts';

/** A change of the call paths, of which the user sees what remains. */
export type Change =
  /** Leaves out calls of functions that run already further up. */
  | { readonly kind: 'collapse' }
  /** Begins paths at a function, or leaves it out. `name` is a name id. */
  | { readonly kind: 'focus' | 'hide'; readonly name: number }
  /** Only paths with a function that a filter matches; see {@link parseFilter}. */
  | { readonly kind: 'only'; readonly text: string };

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
  const wanted = text.trim();
  const slashed = /^\/(.+)\/(i?)$/.exec(wanted);
  if (!slashed) {
    const part = wanted.toLowerCase();
    return { matches: (name) => name.toLowerCase().includes(part), error: null };
  }
  try {
    const pattern = new RegExp(slashed[1]!, slashed[2]);
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
  const listed: number[] = [];
  for (const change of changes) {
    if (change.kind === 'only') {
      const { matches } = parseFilter(change.text);
      // By id or address, too, where another text is shown.
      const fits = (id: number) => matches?.(names.of(id)) || matches?.(names.keyOf(id));
      yield* portionsOf(names.text.length, (start, end) => {
        for (let id = start; id < end; id += 1) if (fits(id)) listed.push(id);
      });
    } else if (change.kind !== 'collapse') {
      listed.push(change.name);
    }
    ends.push(listed.length);
  }
  return {
    kinds: Uint8Array.from(changes, ({ kind }) => KINDS.indexOf(kind)),
    ends: Uint32Array.from(ends),
    names: Uint32Array.from(listed),
  };
}

/** The changes with another one at the end. An equal one is not repeated. */
export function withChange(changes: readonly Change[], change: Change): readonly Change[] {
  if (changes.some((other) => sameChange(other, change))) return changes;
  return [...changes, change];
}

/** Whether two changes are the same. */
function sameChange(a: Change, b: Change): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** What a change does, for its chip: `Focus: main`. */
export function changeTitle(change: Change, names: Pick<Names, 'of'>): string {
  switch (change.kind) {
    case 'collapse':
      return 'Recursion collapsed';
    case 'focus':
      return `Focus: ${names.of(change.name)}`;
    case 'hide':
      return `Hidden: ${names.of(change.name)}`;
    case 'only':
      return `Only: ${change.text}`;
  }
}
