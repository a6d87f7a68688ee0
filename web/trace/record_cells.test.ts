import { describe, expect, it } from 'vitest';
import { NBSP } from '../base/format.ts';
import type { Field, RecordColumn, Value } from '../base/protocol.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import { ticks } from '../base/ticks.ts';
import { type CellContext, cellTexts } from './record_cells.ts';

const column = (shows: RecordColumn['shows'], key = ''): RecordColumn => ({ label: key || shows, shows, key });
const COLUMNS = [column('position'), column('thread'), column('field', 'kind'), column('name'), column('rest')];
const CONTEXT: CellContext = {
  columns: COLUMNS,
  clock: { kind: 'ordinal', unit: 'step' },
  origin: ticks(0n),
  threadOf: (track) => (track === 1 ? 'main' : ''),
  nameOf: (name) => (name === '#7' ? 'seven' : name === '0x40' ? 'main' : name),
  eventTypes: { 3: { name: 'alloc', form: 'u32' } },
};
const int = (v: number): Value => ({ t: 'int', v: BigInt(v) });
const text = (v: string): Value => ({ t: 'text', v });
const list = (length: number): Value => ({ t: 'list', v: Array.from({ length }, (_, i) => int(i)) });
const rowOf = (fields: Field[], more: Partial<RecordRow> = {}): RecordRow => ({
  x: ticks(1234n),
  track: 1,
  locator: 0n,
  name: 'f',
  fields,
  dropped: 0,
  ...more,
});
const textsOf = (row: RecordRow, context = CONTEXT) => cellTexts(row, context).map((it) => it.replaceAll(NBSP, ' '));
const restOf = (fields: Field[], dropped = 0) => textsOf(rowOf(fields, { dropped })).at(-1);

describe('the cells of a record', () => {
  it('say the beginning of a text that is as long as the file', () => {
    const [, , , name] = textsOf(rowOf([], { name: 'N'.repeat(1_000_000) }));
    expect(name).toHaveLength(400);
  });
  it('show position, thread, name, a field, and the fields that no other column shows', () => {
    const fields = [
      { name: 'kind', value: text('enter') },
      { name: 'thread', value: int(7) },
      { name: 'a', value: int(1) },
      { name: 'b', value: int(2) },
    ];
    expect(textsOf(rowOf(fields))).toEqual(['1,234', 'main', 'enter', 'f', 'a = 1, b = 2']);
    expect(textsOf(rowOf([], { track: 9 }))).toEqual(['1,234', '', '', 'f', '']);
  });

  it('show times from the origin on, and nothing for null', () => {
    const clock = { kind: 'seconds', frequency: 1_000_000n } as const;
    const row = rowOf([{ name: 'kind', value: { t: 'null' } }]);
    expect(textsOf(row, { ...CONTEXT, clock, origin: ticks(1230n) }).slice(0, 3)).toEqual(['4.000 µs', 'main', '']);
  });

  it('say in place of an instruction what is none', () => {
    const columns = [column('position'), column('field', 'instruction'), column('field', 'read'), column('rest')];
    const of = (fields: Field[], name: string) => textsOf(rowOf(fields, { name }), { ...CONTEXT, columns });
    const number = { name: 'number', value: int(12) };
    expect(of([number], 'call')).toEqual(['1,234', 'call: number = 12', '', '']);
    expect(of([{ name: 'instruction', value: text('ret') }, number], '')).toEqual(['1,234', 'ret', '', 'number = 12']);
    expect(of([], '')).toEqual(['1,234', '', '', '']);
  });

  it('name where an instruction leads, and read payloads in the form of their type', () => {
    const row = (value: Value) => textsOf(rowOf([{ name: 'kind', value }]))[2];
    expect([row(text('call 0x40')), row(text('call 0x41')), row(text('0x40'))]).toEqual([
      'call 0x40 <main>',
      'call 0x41',
      '0x40',
    ]);
    const data: Value = { t: 'bytes', v: Uint8Array.of(5, 0, 0, 0), length: 4n };
    expect(
      restOf([
        { name: 'type', value: { t: 'id', v: 3n } },
        { name: 'data', value: data },
      ]),
    ).toBe('type = alloc, data = 5');
  });

  it('omit the key of arguments or a payload that is all there is', () => {
    expect(restOf([{ name: 'args', value: list(3) }])).toBe('0, 1, 2');
    expect(restOf([{ name: 'data', value: { t: 'bytes', v: Uint8Array.of(1, 2), length: 2n } }])).toBe('01 02');
    expect(restOf([{ name: 'a', value: int(1) }])).toBe('a = 1');
  });

  it('name a record of an unusual kind that no column names', () => {
    const columns = [column('field', 'kind'), column('rest')];
    const kind = { name: 'kind', value: text('fault') };
    const a = { name: 'a', value: int(1) };
    const named = (name: string, fields: Field[]) => textsOf(rowOf(fields, { name }), { ...CONTEXT, columns });
    expect(named('page fault', [kind, a])).toEqual(['fault', 'a = 1']);
    expect(named('reset', [kind, a])).toEqual(['fault', 'reset: a = 1']);
    expect(named('reset', [])).toEqual(['', 'reset']);
  });

  it('do not count what was left out', () => {
    const args = { name: 'args', value: list(64) };
    expect(restOf([{ name: 'a', value: int(1) }, args])).toBe('a = 1, args = {0, 1, 2, 3, 4, 5, 6, 7, … 56 more}');
    expect(restOf([{ name: 'a', value: int(1) }, args], 36)).toBe('a = 1, args = {0, 1, 2, 3, 4, 5, 6, 7, …}');
    expect(restOf([{ name: 'a', value: int(1) }], 3)).toBe('a = 1, …');
    expect(restOf([], 3)).toBe('…');
  });

  it('are of limited length', () => {
    expect(restOf([{ name: 'a', value: list(10_000) }])).toHaveLength(400);
    expect(restOf([{ name: 'a', value: list(10_000) }], 1)).toHaveLength(400);
  });
});
