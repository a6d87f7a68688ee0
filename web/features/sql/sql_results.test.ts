import { describe, expect, it } from 'vitest';
import type { TraceInfo } from '../../base/protocol.ts';
import type { SqlValue } from '../../base/sql.ts';
import { columnsOf, orderOf } from './sql_results.ts';

const timed = { offers: [], clock: { kind: 'seconds', frequency: 1n }, recordNoun: 'record', eventNoun: 'event' };
const counted = {
  offers: ['disassembly'],
  clock: { kind: 'ordinal', noun: 'step' },
  recordNoun: 'transition',
  eventNoun: 'transition',
};
const of = (names: readonly string[], info: object = timed) => columnsOf(names, info as unknown as TraceInfo);

describe('results', () => {
  it('are sorted as SQLite sorts', () => {
    const values: SqlValue[] = ['b', 2n, null, new Uint8Array([1]), 1.5, 'a', 2n ** 60n, new Uint8Array([0, 9]), -1n];
    const rows = values.map((value) => [value]);
    const sorted = (descending: boolean) => [...orderOf(rows, { column: 0, descending })];
    expect(sorted(false)).toEqual([2, 8, 4, 1, 6, 5, 0, 7, 3]);
    expect(sorted(true)).toEqual([3, 7, 0, 5, 6, 1, 4, 8, 2]);
  });
  it('keep the order of equal rows in both directions', () => {
    const rows = [[1n], [0n], [1n], [0n]];
    expect([...orderOf(rows, { column: 0, descending: false })]).toEqual([1, 3, 0, 2]);
    expect([...orderOf(rows, { column: 0, descending: true })]).toEqual([0, 2, 1, 3]);
  });
});

describe('links of results', () => {
  it('lead to positions, with the track and the depth of the row', () => {
    const { linkOf } = of(['id', 'START', 'track', 'depth', 'dur', 'parent']);
    const row = [7n, 100n, 3n, 2n, 50n, 4n];
    const place = { to: 'position', at: 100n, track: 2, depth: 2 };
    expect(linkOf(row, 1)).toEqual(place);
    expect(linkOf(row, 0)).toEqual(place);
    expect(linkOf(row, 4)).toBe(null);
    expect(linkOf(row, 5)).toEqual({ to: 'slice', id: 4n });
    expect(linkOf([7n, null, 3n, 2n, 50n, null], 0)).toBe(null);
  });
  it('of tracks are none: their parents are tracks', () => {
    const { linkOf } = of(['id', 'parent', 'name']);
    expect([linkOf([1n, 2n, 'x'], 0), linkOf([1n, 2n, 'x'], 1)]).toEqual([null, null]);
  });
  it('lead to records and functions', () => {
    const { linkOf } = of(['record', 'name_id']);
    expect(linkOf([5n, 9n], 0)).toEqual({ to: 'record', id: 5n });
    expect(linkOf([5n, 9n], 1)).toEqual({ to: 'name', id: 8 });
  });
  it('lead to addresses where there are instructions', () => {
    const { linkOf, isAddress } = of(['pc', 'key', 'transition'], counted);
    expect([isAddress(0), isAddress(1), isAddress(2)]).toEqual([true, true, false]);
    expect(linkOf([-1n, 2n, 3n], 0)).toEqual({ to: 'address', address: 2n ** 64n - 1n });
    expect(linkOf([-1n, 2n, 3n], 2)).toEqual({ to: 'position', at: 3n, track: null, depth: null });
    const other = of(['pc', 'key', 'transition']);
    expect([other.isAddress(0), other.isAddress(1)]).toEqual([true, false]);
    expect(other.linkOf([1n, 2n, 3n], 0)).toBe(null);
    // Keys of fields are texts.
    expect(of(['record', 'key', 'value', 'symbol'], counted).isAddress(1)).toBe(false);
  });
});
