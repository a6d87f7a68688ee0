import { expect, it } from 'vitest';
import type { Value } from '../base/protocol.ts';
import { termOfField, termOfName } from './find_terms.ts';

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

it('names are in quotes where they need it', () => {
  expect([termOfName('main'), termOfName('operator*')]).toEqual(['name:main', 'name:"operator*"']);
});
