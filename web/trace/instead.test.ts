import { expect, it } from 'vitest';
import { byTurns, countedReads } from '../base/portions.fixture.ts';
import { PORTION } from '../base/portions.ts';
import { insteadOf, type Spelling } from './instead.ts';

const names = ['gldrawelements', 'main loop'];
const texts = (expression: string, isWrong = false, spelling?: Spelling) =>
  byTurns(insteadOf(expression, isWrong, names, spelling), () => 0).result.map(({ text }) => text);

it('proposes a part of a name that is none as a whole', () => {
  expect(texts('name:glDraw')).toEqual(['name:*glDraw*', '"glDraw"']);
  expect(texts('name:nowhere')).toEqual(['"nowhere"']);
});

it('proposes other case, and any of several words', () => {
  expect(texts('GLDRAW')).toEqual(['gldraw']);
  expect(texts('xor esi')).toEqual(['xor or esi']);
  expect(texts('a - b')).toEqual([]);
});

it('proposes the text itself for what cannot be understood', () => {
  expect(texts('foo:bar baz', true)).toEqual(['"foo:bar baz"']);
  expect(texts('say "x', true)).toEqual(['"say \\"x"']);
});

it('proposes near spellings of names and of keys first', () => {
  const spelling = { words: ['glDrawElements', 'main', 'mains'], keys: ['name', 'insn', 'dur'] };
  const near = (text: string, isWrong = false) => texts(text, isWrong, spelling);
  expect(near('glDrawElemnts')).toEqual(['glDrawElements']);
  expect(near('nmae:main', true)).toEqual(['name:main', '"main"', '"nmae:main"']);
  expect(near('"glDrawElemnts" mainx')).toEqual(['"glDrawElemnts" main', '"glDrawElemnts" mains']);
  // What is a name, or a key, stays.
  expect(near('main or insn:xor')).toEqual([]);
});

it('goes through a portion of names and of words in a turn', () => {
  const of = (word: string) => countedReads(Array.from({ length: 3 * PORTION }, (_, i) => `${word}${i}`));
  const [many, words] = [of('name'), of('word')];
  const work = insteadOf('name:zzzz qqqqq', false, many.list, { words: words.list, keys: ['name'] });
  expect(byTurns(work, many.reads).most).toBe(PORTION);
  expect(many.reads()).toBe(6 * PORTION);
  expect(words.reads()).toBe(6 * PORTION);
});
