import { expect, it } from 'vitest';
import { insteadOf } from './instead.ts';

const names = ['gldrawelements', 'main loop'];
const isName = (part: string) => names.some((name) => name.includes(part.toLowerCase()));
const texts = (expression: string, isWrong = false) => insteadOf(expression, isWrong, isName).map(({ text }) => text);

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
  const near = (text: string, isWrong = false) => insteadOf(text, isWrong, isName, spelling).map(({ text }) => text);
  expect(near('glDrawElemnts')).toEqual(['glDrawElements']);
  expect(near('nmae:main', true)).toEqual(['name:main', '"main"', '"nmae:main"']);
  expect(near('"glDrawElemnts" mainx')).toEqual(['"glDrawElemnts" main', '"glDrawElemnts" mains']);
  // What is a name, or a key, stays.
  expect(near('main or insn:xor')).toEqual([]);
});
