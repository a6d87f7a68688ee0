import { expect, it } from 'vitest';
import type { Value } from '../base/protocol.ts';
import { termOfCell, termOfField, termOfLabel } from './find_terms.ts';
import { termOfName } from './terms.ts';

const int = (v: bigint, hex = false): Value => ({ t: 'int', v, hex });

it('a value in details becomes an expression', () => {
  const of = (labels: readonly string[], value: Value, name = '') => termOfField(labels, value, name);
  expect(of(['Arguments', 'count'], int(4n), 'glDraw')).toBe('name:glDraw arg.count:4');
  expect(of(['Arguments', 'mode'], { t: 'symbol', name: 'A | B', v: int(3n) }, 'glDraw')).toBe(
    'name:glDraw arg.mode:"A | B"',
  );
  expect(of(['Arguments', 'size', '1'], int(7n))).toBe('arg.size.1:7');
  expect(of(['Return value'], { t: 'text', v: 'say "x"\n' }, 'f(int)')).toBe('name:"f(int)" ret:"say \\"x\\"\\n"');
  expect(of(['Variables', 'ptr', 'Value'], int(255n, true))).toBe('arg.ptr:0xff');
  expect(of(['Written', 'RAX'], int(0n, true))).toBe('arg.written.RAX:0x0');
  expect(of(['Code', '0x401000'], { t: 'text', v: 'nop' })).toBe('addr:0x401000');
  expect(of(['Arguments', 'x'], { t: 'list', v: [{ t: 'null' }] })).toBe('arg.x:null');
});

it('what cannot be looked for has none', () => {
  expect(termOfField(['Thread'], int(1n), '')).toBeNull();
  expect(termOfField(['Arguments', 'a b'], int(1n), '')).toBeNull();
  expect(termOfField(['Arguments', 'x'], { t: 'text', v: 'x'.repeat(500) }, '')).toBeNull();
  expect(termOfField(['Arguments', 'x'], { t: 'float', v: Number.NaN }, '')).toBeNull();
  expect(termOfField(['Arguments'], { t: 'tree', v: [] }, '')).toBeNull();
});

it('a cell of the list becomes an expression', () => {
  const value = (t: string): Value => ({ t: 'text', v: t });
  const row = {
    x: 7n,
    track: 2,
    name: '#3',
    fields: [
      { name: 'cpu', value: int(1n) },
      { name: 'address', value: int(255n, true) },
      { name: 'instruction', value: value('mov rax, 1') },
      { name: 'frame', value: int(12n) },
      { name: 'raw', value: { t: 'code', isa: 'x', address: 0n, v: Uint8Array.of(15, 5) } },
      { name: 'args', value: { t: 'tree', v: [] } },
    ],
  } as never;
  const cells = { threadOf: () => 'main thread 5', nameOf: () => 'draw' };
  const of = (shows: string, key?: string) => termOfCell({ label: '', shows, key } as never, row, cells);
  expect([of('position'), of('thread'), of('name')]).toEqual(['start:7', 'thread:"main thread 5"', 'name:draw']);
  const keys = ['cpu', 'address', 'instruction', 'frame', 'raw', 'args', 'none'].map((key) => of('field', key));
  expect(keys).toEqual(['arg.cpu:1', 'addr:0xff', 'insn:"mov rax, 1"', 'frame:12', 'bytes:0f 05', null, null]);
  expect(of('rest')).toBeNull();
});

it('a field of details with the label of a column becomes one, too', () => {
  const columns = [
    { label: 'Thread', shows: 'thread' },
    { label: 'CPU', shows: 'field', key: 'cpu' },
  ] as never;
  const of = (label: string, value: Value) => termOfLabel(label, value, columns);
  expect([of('Thread', { t: 'id', v: 4712n }), of('CPU', int(3n)), of('Other', int(3n))]).toEqual([
    'thread:4712',
    'arg.cpu:3',
    null,
  ]);
});

it('names are in quotes where they need it', () => {
  expect([termOfName('main'), termOfName('operator*')]).toEqual(['name:main', 'name:"operator*"']);
});
