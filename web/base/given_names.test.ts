import { expect, it } from 'vitest';
import { givenNames, namesOfIds, shownByName } from './given_names.ts';
import { manyNames } from './portions.fixture.ts';
import { PORTION, resultOf } from './portions.ts';

it('takes names in place of those in the file to a worker', async () => {
  const keys = ['', '#1', '0x40', 'g\n"'];
  const names = { text: ['f', '#1', 'main', 'h\ud800'], keyOf: (id: number) => keys[id] ?? '' };
  const shown = [
    ['0x40', 'main'],
    ['g\n"', 'h\ud800'],
  ];
  expect([...(await shownByName(await resultOf(givenNames(names))))]).toEqual(shown);
  const short = await resultOf(givenNames(names, (id) => `s${id}`));
  expect([...(await shownByName(short)).values()]).toEqual(['s1', 's2', 's3']);
});

it('takes names of functions by their ids', async () => {
  const keys = ['', '#-1', '0x40', '#7'];
  const given = await resultOf(givenNames({ text: ['f', 'g', 'h', 'i'], keyOf: (id) => keys[id] ?? '' }));
  expect(await namesOfIds(given)).toEqual({ ids: BigInt64Array.of(-1n, 7n), names: ['g', 'i'] });
});

it('goes through a portion of them in a turn', async () => {
  const names = manyNames();
  const given = await resultOf(givenNames(names));
  expect(names.most()).toBe(PORTION);
  expect((await shownByName(given)).get(`#${PORTION}`)).toBe(`f${PORTION}`);
});
