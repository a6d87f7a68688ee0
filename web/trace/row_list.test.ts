import { beforeEach, describe, expect, it } from 'vitest';
import { createRowList, type RowList } from './row_list.ts';

let count: number;
let asked: { readonly first: number; readonly count: number; take(rows: readonly string[] | null): boolean }[];
let selected: string[];
let list: RowList<string>;

const answer = (at = asked.length - 1, of = 'row') => {
  const { first, count: rows, take } = asked[at]!;
  take(Array.from({ length: Math.min(rows, count - first) }, (_, i) => `${of} ${first + i}`));
};
const requests = () => asked.map(({ first, count }) => [first, count]);

beforeEach(() => {
  count = 1000;
  [asked, selected] = [[], []];
  list = createRowList<string>({
    ask: (first, rows, take) => asked.push({ first, count: rows, take }),
    count: () => count,
    select: (row) => selected.push(row),
    block: 10,
  });
});

describe('the rows of a list', () => {
  it('are requested in whole blocks, each once', () => {
    list.want(5, 25);
    expect([list.row(7), requests()]).toEqual([null, [[0, 30]]]);
    list.want(12, 14);
    expect(requests()).toHaveLength(1);
    answer();
    expect([list.row(7), list.row(29), list.row(30)]).toEqual(['row 7', 'row 29', null]);
    list.want(0, 30);
    list.want(25, 45);
    expect(requests().slice(1)).toEqual([[30, 20]]);
    list.want(995, 1020);
    answer();
    expect([list.row(999), list.row(1000)]).toEqual(['row 999', null]);
    list.want(2000, 2010);
    expect(requests()).toHaveLength(3);
  });

  it('are kept if they come while later ones have been requested', () => {
    list.want(0, 10);
    list.want(500, 510);
    answer(0);
    answer(1);
    expect([list.row(0), list.row(505)]).toEqual(['row 0', 'row 505']);
  });

  it('can be requested again if there were none', () => {
    list.want(0, 10);
    expect(asked[0]!.take(null)).toBe(true);
    list.want(0, 10);
    expect(requests()).toHaveLength(2);
    // A request that a newer one has replaced says nothing.
    list.want(500, 510);
    expect(asked[1]!.take(null)).toBe(false);
  });

  it('stay while the list grows, until others arrive', () => {
    list.want(0, 20);
    answer();
    list.grow();
    expect(list.row(3)).toBe('row 3');
    list.want(0, 20);
    expect(requests()).toHaveLength(2);
    answer(1, 'new');
    expect(list.row(3)).toBe('new 3');
  });

  it('of another list are of no use', () => {
    list.want(0, 10);
    list.renew();
    list.want(0, 10);
    answer(1, 'new');
    answer(0);
    expect(list.row(3)).toBe('new 3');
    list.renew();
    expect(list.row(3)).toBeNull();
  });

  it('are forgotten when there are many', () => {
    for (let first = 0; first < 1000; first += 10) {
      list.want(first, first + 10);
      answer();
    }
    expect([list.row(5), list.row(995)]).toEqual([null, 'row 995']);
  });
});

describe('the current row', () => {
  it('is selected at once, or when it arrives', () => {
    list.want(0, 10);
    answer();
    list.choose(4);
    list.choose(800);
    expect([list.current.value, selected]).toEqual([800, ['row 4']]);
    list.want(795, 805);
    answer();
    expect(selected).toEqual(['row 4', 'row 800']);
    // A row that was chosen in the list before is not chosen in this one.
    list.choose(500);
    list.renew();
    list.want(500, 510);
    answer();
    expect(selected).toEqual(['row 4', 'row 800']);
  });

  it('is not selected if another one was chosen meanwhile', () => {
    list.want(0, 10);
    answer();
    list.choose(800);
    list.choose(4);
    list.want(795, 805);
    answer();
    expect(selected).toEqual(['row 4']);
    list.choose(900);
    list.current.value = -1;
    list.want(900, 905);
    answer();
    expect(selected).toEqual(['row 4']);
  });
});
