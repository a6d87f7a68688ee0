import { beforeEach, expect, it, vi } from 'vitest';
import {
  choicesOf,
  choose,
  isDefault,
  NO_CHOICES,
  ordered,
  shownOf,
  wholeColumns,
  withMoved,
  withToggled,
  withWidth,
} from './columns.ts';

let stored: Record<string, string>;
beforeEach(() => {
  stored = {};
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored[key] ?? null,
    setItem: (key: string, value: string) => {
      stored[key] = value;
    },
  });
});

const IDS = ['a', 'b', 'c', 'd'];

it('columns move to the place of another one', () => {
  const left = withMoved(IDS, NO_CHOICES, 'c', 'a');
  expect(ordered(IDS, left)).toEqual(['c', 'a', 'b', 'd']);
  expect(ordered(IDS, withMoved(IDS, left, 'a', 'd'))).toEqual(['c', 'b', 'd', 'a']);
  // Back where it was, nothing is left to be reset.
  expect(isDefault(withMoved(IDS, left, 'c', 'b'))).toBe(true);
});

it('columns that were not there follow those that they follow in the table', () => {
  const moved = withMoved(['a', 'c'], NO_CHOICES, 'c', 'a');
  expect(ordered(IDS, moved)).toEqual(['c', 'd', 'a', 'b']);
  expect(ordered(['a'], moved)).toEqual(['a']);
});

it('columns are hidden and shown, and one always stays', () => {
  const hidden = withToggled(withToggled(NO_CHOICES, 'b'), 'd');
  expect(shownOf(IDS, hidden)).toEqual(['a', 'c']);
  expect(shownOf(IDS, withToggled(hidden, 'b'))).toEqual(['a', 'b', 'c']);
  expect(shownOf(['b'], hidden)).toEqual(['b']);
});

it('a width leaves the others as they are', () => {
  const now = { a: 100, b: 80.4 };
  const first = withWidth(NO_CHOICES, now, 'a', 130);
  expect(first.widths).toEqual({ a: 130, b: 80.4 });
  expect(withWidth(first, first.widths, 'b', 3).widths).toEqual({ a: 130, b: 36 });
});

it('choices last, each table its own, and of the last tables only', () => {
  choose('one', withToggled(NO_CHOICES, 'b'));
  choose('two', withMoved(IDS, NO_CHOICES, 'c', 'a'));
  expect(choicesOf('one').value.hidden).toEqual(['b']);
  expect(JSON.parse(stored['unspool:columns']!).map(([table]: [string]) => table)).toEqual(['one', 'two']);
  choose('one', NO_CHOICES);
  expect(JSON.parse(stored['unspool:columns']!)).toHaveLength(1);
  for (let i = 0; i < 100; i += 1) choose(`query ${i}`, withToggled(NO_CHOICES, 'a'));
  expect(JSON.parse(stored['unspool:columns']!)).toHaveLength(60);
});

it('choices that are damaged or of another version are left out', () => {
  stored['unspool:columns'] = JSON.stringify([
    ['damaged', { order: 7, hidden: ['a', 3], widths: { a: 'wide', b: 90, c: 2 } }],
    'x',
    [1, {}],
    ['empty', null],
  ]);
  expect(choicesOf('damaged').value).toEqual({ order: [], hidden: ['a'], widths: { b: 90 } });
  expect(choicesOf('empty').value).toEqual(NO_CHOICES);
  stored['unspool:columns'] = '{';
  expect(choicesOf('other').value).toEqual(NO_CHOICES);
});

it('columns that do not fit end at the edge, and none is cut', () => {
  const widths = wholeColumns([100, 60, 60, 60], 250);
  const edges = widths.map((_, i) => widths.slice(0, i + 1).reduce((sum, width) => sum + width, 0));
  expect(edges[2]).toBeCloseTo(250);
  expect(widths.every((width, i) => width >= [100, 60, 60, 60][i]!)).toBe(true);
  expect(wholeColumns([100, 60], 250)).toEqual([100, 60]);
});
