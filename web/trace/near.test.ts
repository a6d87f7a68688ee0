import { expect, it } from 'vitest';
import { nearestTo, wordsOf } from './near.ts';

const words = ['glBindTexture', 'glBindBuffer', 'main', 'mains', 'worker', 'insn', 'x'];

it('finds words with a letter that is missing, added, another one or in the wrong place', () => {
  const nearest = (word: string) => nearestTo(word, words, 3);
  expect(nearest('glbindtexure')).toEqual(['glBindTexture']);
  expect(nearest('glBindTextrue')).toEqual(['glBindTexture']);
  expect(nearest('wroker')).toEqual(['worker']);
  expect(nearest('maim')).toEqual(['main']);
  expect(nearest('mainx')).toEqual(['main', 'mains']);
  expect(nearest('insm')).toEqual(['insn']);
});

it('proposes nothing for short words, for the word itself, and for what is far away', () => {
  expect([nearestTo('y', words, 3), nearestTo('MAIN', ['main'], 3), nearestTo('texture', words, 3)]).toEqual([
    [],
    [],
    [],
  ]);
  expect(nearestTo('a'.repeat(1000), ['a'.repeat(999)], 3)).toEqual([]);
});

it('knows the words of names', () => {
  expect(wordsOf(['l3(std::vector<int>)', 'main', '0x401000'])).toEqual([
    'l3',
    'std',
    'vector',
    'int',
    'main',
    'x401000',
  ]);
});
