import { expect, it } from 'vitest';
import type { Value } from '../../base/protocol.ts';
import type { RecordRow } from '../../base/record_protocol.ts';
import { backwards, type Key, keyOf, orderOf } from './record_order.ts';

const order = (keys: readonly Key[], descending = false) => {
  const made = orderOf(keys, descending);
  const rows = keys.map((_, place) => made.at(place));
  expect(rows.map(made.placeOf)).toEqual(rows.map((_, place) => place));
  return rows.map((row) => keys[row]);
};

it('sorts numbers, then texts, and what has neither last in both directions', () => {
  const keys = ['l10', 3, null, 'l9', -1, 3];
  expect(order(keys)).toEqual([-1, 3, 3, 'l9', 'l10', null]);
  expect(order(keys, true)).toEqual(['l10', 'l9', 3, 3, -1, null]);
  // Equal rows keep their order.
  expect(orderOf([1, 1, 0], true).at(0)).toBe(0);
  expect(order([])).toEqual([]);
});

it('reads a list backwards without looking at it', () => {
  const made = backwards(5);
  expect([made.at(0), made.at(4), made.placeOf(3)]).toEqual([4, 0, 1]);
});

it('knows what a row sorts by in each kind of column', () => {
  const value = (value: Value) => ({ name: 'key', value });
  const row = (...fields: ReturnType<typeof value>[]): RecordRow =>
    ({ x: 7n, track: 2, locator: 0n, name: '#1', fields, dropped: 0 }) as unknown as RecordRow;
  const of = (it: Value) => keyOf({ shows: 'field', key: 'key' }, row(value(it)), new Map());
  expect([of({ t: 'int', v: 5n, hex: true }), of({ t: 'float', v: Number.NaN }), of({ t: 'text', v: 'xor' })]).toEqual([
    5,
    null,
    'xor',
  ]);
  expect(of({ t: 'symbol', name: 'GL_BLEND', v: { t: 'int', v: 3042n, hex: false } })).toBe('GL_BLEND');
  expect(of({ t: 'tree', v: [{ name: 'RAX', value: { t: 'null' } }] })).toBe('RAX');
  expect(keyOf({ shows: 'field', key: 'other' }, row(), new Map())).toBe(null);
  expect(keyOf({ shows: 'name' }, row(), new Map([['#1', 'main']]))).toBe('main');
  expect([keyOf({ shows: 'position' }, row(), new Map()), keyOf({ shows: 'thread' }, row(), new Map())]).toEqual([
    7, 2,
  ]);
  expect(keyOf({ shows: 'rest' }, row(), new Map())).toBe(null);
});
