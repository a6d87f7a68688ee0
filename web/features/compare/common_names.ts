import type { Names } from '../../trace/names.ts';

/** Names of both traces under numbers of their own: equal texts have the same. */
export interface CommonNames {
  /** The number of a name id of A, or of B. */
  ofA(id: number): number;
  ofB(id: number): number;
  /** The text of a number. */
  of(number: number): string;
  /** The same: names are short within one trace, so those of two could be alike. */
  shown(number: number): string;
  /** The name id that a number was given for; -1 for none. */
  idInA(number: number): number;
  idInB(number: number): number;
}

/** No names yet: numbers are given when they are asked for. */
export function createCommonNames(a: Pick<Names, 'of'>, b: Pick<Names, 'of'>): CommonNames {
  const texts: string[] = [];
  const numbers = new Map<string, number>();
  const ids = { a: new Map<number, number>(), b: new Map<number, number>() };
  const numberOf = (side: 'a' | 'b', id: number) => {
    const text = (side === 'a' ? a : b).of(id);
    const number = numbers.get(text) ?? texts.push(text) - 1;
    numbers.set(text, number);
    ids[side].set(number, id);
    return number;
  };
  const textOf = (number: number) => texts[number] ?? '';
  return {
    ofA: (id) => numberOf('a', id),
    ofB: (id) => numberOf('b', id),
    of: textOf,
    shown: textOf,
    idInA: (number) => ids.a.get(number) ?? -1,
    idInB: (number) => ids.b.get(number) ?? -1,
  };
}
