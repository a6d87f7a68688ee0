import { describe, expect, it } from 'vitest';
import { NBSP } from '../base/format.ts';
import type { Details, Field, Value } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { amountOf, callText, floatText, hexText, isScalar, membersOf, numberBehind } from './values.ts';

const CONTEXT = { clock: { kind: 'ordinal', unit: 'call' }, origin: ticks(0n) } as const;
const int = (v: number): Value => ({ t: 'int', v: BigInt(v) });
const list = (...v: Value[]): Value => ({ t: 'list', v });

function call(given: Value | null, result: Value | null = null): Details {
  const fields: Field[] = [{ name: 'Thread', value: int(0) }];
  if (given) fields.push({ name: 'Arguments', value: given });
  if (result) fields.push({ name: 'Return value', value: result });
  const item = { kind: 'slice', track: 0, depth: 0, index: 0 } as const;
  return {
    item,
    track: 0,
    locator: 0n,
    title: 'f',
    name: 0,
    start: ticks(0n),
    end: ticks(1n),
    flags: 0,
    remarks: [],
    fields,
    offset: 0n,
  };
}

function text(given: Value | null, result: Value | null = null, most = 200): string {
  return callText(call(given, result), CONTEXT, most).replaceAll(NBSP, ' ');
}

describe('the line of a call', () => {
  it('has named arguments and the result', () => {
    const given: Value = {
      t: 'tree',
      v: [
        { name: 'location', value: int(3) },
        { name: 'v0', value: { t: 'float', v: 0.5 } },
        { name: 'mode', value: { t: 'symbol', name: 'GL_TRIANGLES', v: int(4) } },
        { name: 'data', value: { t: 'bytes', v: new Uint8Array(4), length: 70_000n } },
        { name: 'at', value: { t: 'int', v: 0x7fn, hex: true } },
        { name: 'none', value: { t: 'null' } },
      ],
    };
    expect(text(given, int(-1))).toBe(
      '(location = 3, v0 = 0.5, mode = GL_TRIANGLES, data = 70,000 bytes, at = 0x7f, none = null) = -1',
    );
  });
  it('handles arguments without names, and no arguments', () => {
    expect(text(list(int(1), int(2)))).toBe('(1, 2)');
    expect(text(null, int(7))).toBe('() = 7');
    expect(text(null)).toBe('');
  });
  it('shortens long lists and texts, and puts texts on one line', () => {
    const many = list(...Array.from({ length: 16 }, (_, i) => int(i)));
    expect(text(list(many))).toBe('({0, 1, 2, 3, 4, 5, 6, 7, … 8 more})');
    expect(text(list({ t: 'text', v: 'void main() {\n\tgo();\n}' }))).toBe('("void main() { go(); }")');
    expect(text(list({ t: 'text', v: 'x'.repeat(1e6) }))).toHaveLength(45);
    expect(text(list({ t: 'text', v: '?' }))).toBe('(?)');
  });
  it('stops at its maximum length without visiting the rest', () => {
    const value = list(int(1), int(2));
    const untouched = new Proxy([value, value, value], {
      get: (from, key) => (key === '2' ? expect.unreachable() : Reflect.get(from, key)),
    });
    expect(text({ t: 'list', v: untouched }, null, 12)).toBe('({1, 2}, {1…');
  });
});

it('merges the members of an unnamed structure into the outer one', () => {
  const union: Value = {
    t: 'tree',
    v: [
      { name: 'u', value: int(1) },
      { name: '', value: int(2) },
    ],
  };
  const fields = [
    { name: 'a', value: int(0) },
    { name: '', value: union },
  ];
  expect(membersOf(fields).map(({ name }) => name)).toEqual(['a', 'u', 'member 1']);
  expect(text({ t: 'tree', v: fields })).toBe('(a = 0, u = 1, member 1 = 2)');
});

it('formats numbers as programs print them', () => {
  expect([0.5, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map(floatText)).toEqual([
    '0.5',
    '-0',
    'nan',
    'inf',
    '-inf',
  ]);
  expect([hexText(255n), hexText(-1n)]).toEqual(['0xff', '-0x1']);
});

it('omits the number of true and false', () => {
  expect(numberBehind({ t: 'symbol', name: 'true', v: int(1) })).toBeNull();
  expect(numberBehind({ t: 'symbol', name: 'GL_ONE', v: int(1) })).toEqual(int(1));
});

it('recognises structured values and their sizes', () => {
  expect(isScalar({ t: 'null' })).toBe(true);
  expect(isScalar(list())).toBe(false);
  expect(amountOf(list(int(1))).replace(NBSP, ' ')).toBe('1 element');
  expect(amountOf({ t: 'bytes', v: new Uint8Array(), length: 4096n }).replace(NBSP, ' ')).toBe('4,096 bytes');
});
