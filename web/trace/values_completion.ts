import type { ValuesKnown } from '../base/values_protocol.ts';
import type { Completion, Completions } from './completion.ts';

/** Most completions shown. */
const MOST = 8;

const WORDS: readonly Completion[] = [
  { text: 'and', meaning: 'Both hold' },
  { text: 'or', meaning: 'One of them holds' },
  { text: 'not', meaning: 'It does not hold' },
  { text: 'distinct(', meaning: 'Two different variables' },
  { text: 'where', meaning: 'Ends the free variables' },
  { text: 'prefer', meaning: 'Keep the combinations that meet most of these' },
  { text: 'in file', meaning: 'Statements of a file' },
  { text: 'at', meaning: 'A statement, such as 7:12' },
  { text: 'once', meaning: 'One result for each statement and set of variables' },
  { text: 'pick', meaning: 'One random point, by seed' },
];
const PARTS: readonly Completion[] = [
  { text: 'value', meaning: 'Its value' },
  { text: 'size', meaning: 'Bytes from the pointer to the end of its buffer' },
];

/** What may stand at the caret of a query about values. Examples if there is no query. */
export function valuesCompletions(text: string, caret: number, known: ValuesKnown | null): Completions {
  if (text.trim() === '') return { from: 0, to: text.length, items: examples(known) };
  const before = text.slice(0, caret);
  const to = caret + (/^[\p{L}\p{N}_$]*/u.exec(text.slice(caret))?.[0].length ?? 0);
  const like = (from: number, all: readonly Completion[]): Completions => {
    const typed = text.slice(from, caret).toLowerCase();
    const fits = all.filter(({ text: it }) => it.toLowerCase().startsWith(typed) && it.toLowerCase() !== typed);
    return { from, to, items: fits.slice(0, MOST) };
  };
  // Types follow a colon or a bar, up to the word that ends the declarations.
  const ofType = /[:|]\s*([^:|,]*)$/.exec(before);
  if (ofType && !/\bwhere\b/i.test(before)) {
    const types = [...new Set(known?.types)].map((type) => ({ text: type, meaning: 'Type' }));
    return like(caret - ofType[1]!.length, [...types, { text: 'any', meaning: 'Any type' }]);
  }
  const word = /[\p{L}\p{N}_$]*$/u.exec(before)![0];
  const from = caret - word.length;
  if (before[from - 1] === '.') return like(from, PARTS);
  if (word === '' || /^\p{N}/u.test(word)) return { from, to, items: [] };
  const names = (known?.variables ?? []).filter((name) => /^[\p{L}\p{N}_$]+$/u.test(name));
  return like(from, [...names.map((name) => ({ text: name, meaning: 'Variable' })), ...WORDS]);
}

/** Queries that mean something in this trace. */
function examples(known: ValuesKnown | null): readonly Completion[] {
  const [first, second] = (known?.variables ?? []).filter((name) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name));
  const types = known?.types ?? [];
  const number = types.find((type) => !type.includes('*'));
  const pointer = types.find((type) => type.startsWith('*'));
  const found: Completion[] = [];
  if (first) found.push({ text: `${first} > 100`, meaning: 'A variable of this name' });
  if (first && second) found.push({ text: `${first} > ${second}`, meaning: 'Two variables of a point' });
  if (number) {
    found.push({ text: `a, b: ${number} where a > b and distinct(a, b)`, meaning: 'Any two variables of a type' });
  }
  if (pointer) found.push({ text: `p: ${pointer} where p.size = 0`, meaning: 'Pointers to the end of their buffer' });
  found.push({ text: 'x: any where x = 4711', meaning: 'A value in any variable' });
  return found;
}
