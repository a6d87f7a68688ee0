import { expect, test } from 'vitest';
import type { Panel } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { tabsOf } from './panel.ts';

const open = {} as OpenTrace;
const panel = (id: string, isMore = false): Panel => ({
  id,
  title: id,
  isMore: () => isMore,
  place: 0,
  load: async () => () => ({ component: () => null }),
});
const ids = ({ tabs, more }: ReturnType<typeof tabsOf>) => [
  tabs.map(({ id }) => id).join(' '),
  more.map(({ id }) => id).join(' '),
];

test('at most five panels have tabs, and the others are in the menu', () => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => panel(id));
  expect(ids(tabsOf(many, many[0], open))).toEqual(['a b c d e', 'f']);
  const rare = [panel('a'), panel('sql', true), ...many.slice(1)];
  expect(ids(tabsOf(rare, rare[0], open))).toEqual(['a b c d e', 'sql f']);
  expect(ids(tabsOf(rare, undefined, open))).toEqual(['a b c d e', 'sql f']);
});

test('there is no menu while all have tabs', () => {
  const few = [panel('sql', true), panel('a'), panel('b')];
  expect(ids(tabsOf(few, few[1], open))).toEqual(['sql a b', '']);
});

test('the panel in front has a tab', () => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => panel(id));
  expect(ids(tabsOf(many, many[5], open))).toEqual(['a b c d f', 'e']);
});
