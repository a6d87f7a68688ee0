import type { Names } from './names.ts';

/** A change of the call paths, of which the user sees what remains. */
export type Change =
  /** Leaves out calls of functions that run already further up. */
  | { readonly kind: 'collapse' }
  /** Begins paths at a function, or leaves it out. `name` is a name id. */
  | { readonly kind: 'focus' | 'hide'; readonly name: number }
  /** Only paths with a function that a filter matches. */
  | { readonly kind: 'only'; readonly text: string };

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
