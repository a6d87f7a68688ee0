import { expect, it } from 'vitest';
import { valuesCompletions } from './values_completion.ts';

const known = { variables: ['count', 'key', 'α-name'], types: ['int', 'unsigned int', '*char', 'int'] };

/** The completions at the bar in a text. */
function at(text: string) {
  const caret = text.indexOf('|>');
  const { from, to, items } = valuesCompletions(text.replace('|>', ''), caret, known);
  return { from, to, items: items.map((item) => item.text) };
}

it('completes names of variables and words of the language', () => {
  expect(at('c|>').items).toEqual(['count']);
  expect(at('key > 1 a|>').items).toEqual(['and', 'at']);
  expect(at('key|> > 1')).toEqual({ from: 0, to: 3, items: [] });
  expect(at('key > 1|>').items).toEqual([]);
  expect(at('key.|>').items).toEqual(['value', 'size']);
});

it('completes types after a colon and a bar, until the condition begins', () => {
  expect(at('a: |>').items).toEqual(['int', 'unsigned int', '*char', 'any']);
  expect(at('a: int | uns|>')).toEqual({ from: 9, to: 12, items: ['unsigned int'] });
  expect(at('a: int where c|>').items).toEqual(['count']);
});

it('offers examples in an empty field', () => {
  expect(at('|>').items).toContain('p: *char where p.size = 0');
  expect(valuesCompletions('', 0, null).items).toHaveLength(1);
});
