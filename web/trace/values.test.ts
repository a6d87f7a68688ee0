import { describe, expect, it } from 'vitest';
import { NBSP } from '../base/format.ts';
import { hexText } from '../base/hex.ts';
import type { Details, Field, Value } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { amountOf, callText, fieldsLine, floatText, isScalar, membersOf, numberBehind, valueLine } from './values.ts';

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

describe('the line of a value', () => {
  const bytes = (...v: number[]): Value => ({ t: 'bytes', v: Uint8Array.from(v), length: BigInt(v.length) });
  const word = (v: string): Value => ({ t: 'text', v });
  const line = (value: Value, most = 200) => valueLine(value, CONTEXT, most).replaceAll(NBSP, ' ');

  it('has no braces around the outermost list or structure, and all its elements', () => {
    const twelve = list(...Array.from({ length: 12 }, (_, i) => int(i)));
    expect(line(twelve)).toBe('0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11');
    expect(line(list(twelve, list()))).toBe('{0, 1, 2, 3, 4, 5, 6, 7, … 4 more}, {}');
    const inner: Value = { t: 'tree', v: [{ name: 'y', value: word('two') }] };
    expect(line({ t: 'tree', v: [{ name: 'x', value: inner }] })).toBe('x = {y = "two"}');
  });
  it('does not count the rest of a list that may be cut', () => {
    const twelve = list(...Array.from({ length: 12 }, (_, i) => int(i)));
    expect(valueLine(list(twelve), { ...CONTEXT, isCut: true }, 200)).toBe('{0, 1, 2, 3, 4, 5, 6, 7, …}');
  });
  it('quotes texts within a list, unless all are words', () => {
    expect(line(list(word('draw'), word('end-of-frame')))).toBe('draw, end-of-frame');
    expect(line(list(word('draw'), word('end of frame')))).toBe('"draw", "end of frame"');
    expect(line(list())).toBe('');
  });
  it('has a text bare, whole and on one line', () => {
    expect(line(word('mov eax,\n\t1'))).toBe('mov eax, 1');
    expect(line(word('x'.repeat(100)))).toHaveLength(100);
  });
  it('is of limited length', () => {
    expect(line(word('x'.repeat(100)), 10)).toBe('xxxxxxxxx…');
  });
  it('has short bytes as text or numbers, and the number of others', () => {
    expect(line(bytes(0x68, 0x69))).toBe('"hi"');
    expect(line(bytes(0x68, 0x00, 0xff))).toBe('68 00 ff');
    expect(line(bytes(...new TextEncoder().encode('grüße\t')))).toBe('"grüße "');
    expect(line(bytes(0x68, 0x1b))).toBe('68 1b');
    expect(line(bytes(...new TextEncoder().encode(`a${'ü'.repeat(200)}`)))).toBe(`"a${'ü'.repeat(39)}…"`);
    expect(line(bytes())).toBe('""');
    // Unlike a text that stands for a value that was not recorded.
    expect(line(bytes(0x3f))).toBe('"?"');
    expect(line(bytes(...Array.from({ length: 24 }, () => 1)))).toBe('01 '.repeat(24).trim());
    expect(line(bytes(...Array.from({ length: 25 }, () => 1)))).toBe('25 bytes');
    // Only the first ones were kept.
    expect(line({ t: 'bytes', v: Uint8Array.of(0x68), length: 5000n })).toBe('5,000 bytes');
    const letters = Array.from({ length: 60 }, () => 0x61);
    expect(line(bytes(...letters.slice(0, 30)))).toBe(`"${'a'.repeat(30)}"`);
    expect(line(bytes(...letters))).toBe(`"${'a'.repeat(40)}…"`);
    expect(line(bytes(...letters, 0))).toBe('61 bytes');
    expect(line({ t: 'bytes', v: Uint8Array.from(letters), length: 5000n })).toBe('5,000 bytes');
    const late = new Uint8Array(300).fill(0x61);
    expect(line({ t: 'bytes', v: late, length: 300n })).toBe(`"${'a'.repeat(40)}…"`);
    late[299] = 0x7f;
    expect(line({ t: 'bytes', v: late, length: 300n })).toBe('300 bytes');
  });
  it('has fields with their names', () => {
    const fields = [
      { name: 'a', value: int(1) },
      { name: 'b', value: list(int(2), int(3)) },
    ];
    expect(fieldsLine(fields, CONTEXT, 200)).toBe('a = 1, b = {2, 3}');
    expect(fieldsLine(fields, CONTEXT, 8)).toBe('a = 1, …');
    expect(fieldsLine([], CONTEXT, 200)).toBe('');
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
