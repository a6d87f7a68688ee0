import { expect, it } from 'vitest';
import { byTurns, countedReads } from '../base/portions.fixture.ts';
import { PORTION } from '../base/portions.ts';
import { nearestTo, wordsOf } from './near.ts';

const words = ['glBindTexture', 'glBindBuffer', 'main', 'mains', 'worker', 'insn', 'x'];

const nearest = (word: string, others = words) => byTurns(nearestTo(word, others, 3), () => 0).result;

it('finds words with a letter that is missing, added, another one or in the wrong place', () => {
  expect(nearest('glbindtexure')).toEqual(['glBindTexture']);
  expect(nearest('glBindTextrue')).toEqual(['glBindTexture']);
  expect(nearest('wroker')).toEqual(['worker']);
  expect(nearest('maim')).toEqual(['main']);
  expect(nearest('mainx')).toEqual(['main', 'mains']);
  expect(nearest('insm')).toEqual(['insn']);
});

it('proposes nothing for short words, for the word itself, and for what is far away', () => {
  expect([nearest('y'), nearest('MAIN', ['main']), nearest('texture')]).toEqual([[], [], []]);
  expect(nearest('a'.repeat(1000), ['a'.repeat(999)])).toEqual([]);
});

it('knows the words of names', () => {
  expect(byTurns(wordsOf(['l3(std::vector<int>)', 'main', '0x401000']), () => 0).result).toEqual([
    'l3',
    'std',
    'vector',
    'int',
    'main',
    'x401000',
  ]);
});

it('goes through a portion of words and of names in a turn', () => {
  const many = () => countedReads(Array.from({ length: 3 * PORTION }, (_, i) => `word${i}`));
  const [others, names] = [many(), many()];
  expect(byTurns(nearestTo('qqqqq', others.list, 2), others.reads).most).toBe(PORTION);
  const { result, most } = byTurns(wordsOf(names.list), names.reads);
  expect([result.length, most]).toEqual([3 * PORTION, PORTION / 5]);
});
