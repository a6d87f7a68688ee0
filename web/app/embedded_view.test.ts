import { expect, it } from 'vitest';
import { readView } from './embedded_view.ts';

const NOTHING = { view: null, range: null, place: null, tab: '', find: '' };

it('reads a view of another page', () => {
  expect(
    readView({
      view: { from: 1, to: '18446744073709551615' },
      range: { from: 5n, to: 7 },
      select: { from: '9', track: 2, depth: -1 },
      tab: 'calls',
      find: 'x',
    }),
  ).toEqual({
    view: { from: 1n, to: 18446744073709551615n },
    range: { from: 5n, to: 7n },
    place: { from: 9n, track: 2, depth: -1 },
    tab: 'calls',
    find: 'x',
  });
  expect(readView({ select: { from: 3, track: 0 } }).place).toEqual({ from: 3n, track: 0, depth: null });
});

it('leaves out what is wrong', () => {
  const wrong = [1.5, -1, '-1', '1e3', '0x1', '18446744073709551616', 2n ** 64n, -1n, null, {}, Number.NaN];
  for (const from of wrong) expect(readView({ view: { from, to: 2n ** 64n - 1n } })).toEqual(NOTHING);
  expect(readView({ view: { from: 2, to: 2 }, range: [1, 2], select: { from: 1, track: 'x' } })).toEqual(NOTHING);
  expect(readView({ select: { from: 1, track: 1, depth: 'x' }, tab: 7, find: {} })).toEqual(NOTHING);
  expect(readView({ find: 'x'.repeat(5000) }).find.length).toBe(2000);
});
