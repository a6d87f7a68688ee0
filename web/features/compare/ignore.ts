import { formatCount, plural, shortened } from '../../base/format.ts';

/** What rules have left out of A and of B. */
export interface LeftOut {
  readonly threads: readonly [number, number];
  /** Records, those of such threads included. */
  readonly records: readonly [number, number];
  /** Values of other records. */
  readonly values: readonly [number, number];
}

/** What rules for what to ignore name. Those of names have an argument, in which `*` stands for any characters. */
export const RULES = { threads: 'thread:', functions: 'name:', arguments: 'arg.' } as const;
export type NamedRule = keyof typeof RULES;

/** What rules may say without a name. */
export const FLAGS = ['addresses', 'times'] as const;
export type Flag = (typeof FLAGS)[number];

/** Most rules, and characters of one. */
const [MOST_RULES, LONGEST_RULE] = [100, 200];

/** The rules among texts that may be anything, such as those of a link. */
export function rulesAmong(texts: readonly string[]): readonly string[] {
  const isRule = (text: string) =>
    text.length <= LONGEST_RULE && /^(addresses|times|(thread:|name:|arg\.).+)$/.test(text);
  return texts.filter(isRule).slice(0, MOST_RULES);
}

/** Characters of the rules on a button. */
const LONGEST = 40;

/** The names that rules of a kind have, as a text that {@link withNames} reads. */
export function namesIn(rules: readonly string[], kind: NamedRule): string {
  const prefix = RULES[kind];
  const names = rules.filter((rule) => rule.startsWith(prefix)).map((rule) => rule.slice(prefix.length));
  return names.join(', ');
}

/** Rules with other names of a kind: a text of names with commas between them. Names in which parentheses are open go on. */
export function withNames(rules: readonly string[], kind: NamedRule, text: string): readonly string[] {
  const prefix = RULES[kind];
  const names = text.split(/,(?![^(<]*[)>])/).map((name) => name.trim());
  const others = rules.filter((rule) => !rule.startsWith(prefix));
  return [...others, ...names.filter(Boolean).map((name) => prefix + name)];
}

/** Rules with or without one that has no name. */
export function withFlag(rules: readonly string[], flag: Flag, is: boolean): readonly string[] {
  const others = rules.filter((rule) => rule !== flag);
  return is ? [flag, ...others] : others;
}

/** Rules in a few words. */
export function rulesInShort(rules: readonly string[]): string {
  const names = rules.map((rule) => {
    const prefix = Object.values(RULES).find((it) => rule.startsWith(it));
    return prefix ? rule.slice(prefix.length) : rule;
  });
  return shortened(names.join(', '), LONGEST);
}

/** What was left out of both, in words; '' if nothing was. `noun`: what a record is called. */
export function leftOutInWords({ threads, records, values }: LeftOut, noun: string): string {
  const of = ([a, b]: readonly [number, number], what: string) =>
    a + b === 0 ? [] : [`${formatCount(a)} + ${formatCount(b)} ${plural(Math.max(a + b, 2), what)}`];
  return [...of(records, noun), ...of(values, 'value'), ...of(threads, 'thread')].join(', ');
}
