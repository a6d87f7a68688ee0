import { describe, expect, it } from 'vitest';
import {
  isShared,
  type ListPlace,
  laidHeight,
  lastTop,
  moved,
  rowByKey,
  scrolledTo,
  scrollOf,
  shownRows,
} from './proportional.ts';

const short: ListPlace = { count: 1000, row: 24, height: 240, top: 0 };
const long: ListPlace = { count: 100_000_000, row: 24, height: 240, top: 0 };

describe('a list that can be laid out', () => {
  it('scrolls by pixels', () => {
    const place = scrolledTo(short, 36);
    expect(place.top).toBe(1.5);
    expect(scrollOf(place)).toBe(36);
    expect(shownRows(place, 36, 0)).toEqual({ first: 1, end: 12, above: 24 });
  });

  it('ends with the last row at the lower edge', () => {
    expect(scrolledTo(short, 1e9).top).toBe(990);
    expect(moved(short, -5).top).toBe(0);
  });
});

describe('a list that is too long to be laid out', () => {
  it('reaches every row', () => {
    expect(isShared(long)).toBe(true);
    const end = scrolledTo(long, laidHeight(long) - long.height);
    expect(end.top).toBe(lastTop(long));
    expect(shownRows(end, scrollOf(end), 6).end).toBe(100_000_000);
    for (const row of [0, 1, 12_345_678, 99_999_990]) {
      expect(moved(long, row).top).toBe(row);
    }
  });

  it('takes a long way as a share and a short one as rows', () => {
    const half = scrolledTo(long, (laidHeight(long) - long.height) / 2);
    expect(half.top).toBeCloseTo(lastTop(long) / 2, 3);
    const further = scrolledTo(half, scrollOf(half) + 48);
    expect(further.top).toBeCloseTo(half.top + 2, 3);
  });

  it('has its rows where the scroll position is', () => {
    const place = moved(long, 50_000_000.5);
    const scroll = scrollOf(place);
    const { first, above } = shownRows(place, scroll, 6);
    expect(above + (place.top - first) * 24).toBeCloseTo(scroll, 3);
    expect(scroll).toBeLessThanOrEqual(laidHeight(long) - long.height);
  });

  it('is empty without rows', () => {
    expect(shownRows({ ...short, count: 0 }, 0, 6)).toEqual({ first: 0, end: 0, above: 0 });
  });
});

describe('keys', () => {
  it('move by rows and pages, and to both ends', () => {
    const to = (key: string, current: number) => rowByKey(short, key, current);
    expect([to('ArrowDown', 0), to('ArrowDown', 999), to('ArrowUp', 0), to('ArrowUp', 5)]).toEqual([1, 999, 0, 4]);
    expect([to('PageDown', 0), to('PageUp', 20), to('Home', 5), to('End', 5)]).toEqual([9, 11, 0, 999]);
    expect(to('Enter', 5)).toBeNull();
    expect(rowByKey({ ...short, count: 0 }, 'Home', -1)).toBeNull();
  });

  it('begin at what is in sight while there is no current row', () => {
    const to = (key: string, top: number) => rowByKey({ ...short, top }, key, -1);
    expect([to('ArrowDown', 0), to('PageDown', 0), to('ArrowUp', 0), to('Home', 0), to('End', 0)]).toEqual([
      0, 8, 0, 0, 999,
    ]);
    expect([to('ArrowDown', 100.5), to('ArrowUp', 100.5)]).toEqual([100, 99]);
  });
});
