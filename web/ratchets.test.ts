import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { assertions, longFunctions, questions, uncheckedScripts, vagueNames } from '../scripts/ratchets/counters.mjs';
import { formatCounts, judge } from '../scripts/ratchets.mjs';

const namesIn = (source: string) =>
  vagueNames([{ file: 'web/a.tsx', source }]).map(({ line, text }) => `${line} ${text}`);

it('finds vague names of variables, parameters and functions', () => {
  expect(namesIn('const at = 1;\nlet found: Set<string>;\nfunction shown() {}')).toEqual([
    '1 at',
    '2 found',
    '3 shown',
  ]);
  expect(namesIn('function f<A, B>(of: Map<A, B>, rows = [1, 2], first?: B) {}')).toEqual(['1 of', '1 first']);
  expect(namesIn('rows.map((all, index) => all);\nrows.map((from): Row => from);')).toEqual(['1 all']);
  expect(namesIn('const steps = { take(to) { return to; }, async go(row: Row, now: number) {} };')).toEqual([
    '1 to',
    '1 now',
  ]);
  expect(namesIn('interface Steps { walk(at: number, each: (it: Row) => void): void }')).toEqual([
    '1 at',
    '1 each',
    '1 it',
  ]);
  expect(namesIn('for (const of of rows) {}\ntry {} catch (other) {}\nusing held = take();')).toEqual([
    '1 of',
    '2 other',
    '3 held',
  ]);
});

it('finds vague names in patterns, and takes the names of variables there', () => {
  expect(namesIn("const { at, of: row, name: known = 1, 'a-b': by, ...own } = item;")).toEqual([
    '1 at',
    '1 known',
    '1 by',
    '1 own',
  ]);
  expect(namesIn('const [, told, { list: [first] }] = pair;')).toEqual(['1 told', '1 first']);
  expect(namesIn('export function List({ rows, shown, page }: Props) {}')).toEqual(['1 shown']);
});

it('leaves names of things, properties, uses, texts and comments alone', () => {
  const good = [
    'const speed = { at: 1, of: rows.found, all };',
    'interface Row { readonly at: number; readonly shown?: boolean }',
    '// const at = 1;',
    '/* (at: number) => 1 */',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: is a template in what is read.
    "const text = 'const at = 1' + `let of = 1 ${f({ from: `}` })} (by: 1)`;",
    'const pattern = /const at = "[/]/;',
    'const ratio = width / 2 / height; // const at',
    "const note = <p title={text}>It's a function in Tree (of the threads)</p>;",
    'if (found) { f(isOpen ? at : of); }',
    'const kinds = ["a"] as const;',
    'switch (from) { case 1: f(); }',
  ];
  expect(namesIn(good.join('\n'))).toEqual([]);
});

it('finds doc comments that begin with a question word', () => {
  const found = (file: string, source: string) =>
    questions([{ file, source }]).map(({ line, text }) => `${line} ${text}`);
  expect(found('web/a.ts', '/** What it is. */\n/**\n * How many.\n */\n/** Whether it is. */\n// Where')).toEqual([
    '1 What it is.',
    '3 How many.',
  ]);
  expect(
    found('crate/a.rs', '//! What a file is.\n\n/// A place.\n/// Where it is.\nfn f() {}\n  /// How many.\n// What\n'),
  ).toEqual(['1 What a file is.', '6 How many.']);
  expect(found('web/a.ts', '/** Whatever. */\n/* What */\n/** However. */')).toEqual([]);
});

it('finds assertions', () => {
  const found = (source: string) => assertions([{ file: 'web/a.test.ts', source }]).map(({ text }) => text);
  expect(found('f(row!.name, rows[0]!, get()!);')).toEqual(['row!', ']!', ')!']);
  expect(found('f(a as never, b as unknown as Row, c as any);')).toEqual(['as never', 'as unknown as', 'as any']);
  expect(found("f(!row, a !== b, a != b, 'a!', `b!`, a as unknown, as, never); // row!")).toEqual([]);
});

it('finds functions of more than 120 lines, but no lists of tests', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unspool-ratchets-'));
  const bodyOf = (lines: number) => 'f();\n'.repeat(lines - 2);
  const sources = [
    { file: 'web/long.ts', source: `\nexport function long() {\n${bodyOf(121)}}\n` },
    { file: 'web/short.ts', source: `export const short = () => {\n${bodyOf(120)}};\n` },
    { file: 'web/list.test.ts', source: `describe('rows', () => {\n${bodyOf(200)}});\n` },
    { file: 'web/it.test.ts', source: `it('has rows', () => {\n${bodyOf(200)}});\n` },
  ];
  try {
    for (const { file, source } of sources) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), source);
    }
    const places = (await longFunctions(sources, folder)).map(({ file, line, text }) => `${file}:${line} ${text}`);
    expect(places.sort()).toEqual([
      "web/it.test.ts:1 it('has rows', () => { (200 lines)",
      'web/long.ts:2 export function long() { (121 lines)',
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('counts the lines of scripts that are not checked', () => {
  const sources = [
    { file: 'a.mjs', source: 'f();\n' },
    { file: 'b.mjs', source: 'f();\ng();\n' },
    { file: 'c.mjs', source: '// @ts-nocheck\nf();\ng();\n' },
  ];
  const places = uncheckedScripts(sources, new Set(['a.mjs', 'c.mjs']));
  expect(places.map(({ file, count }) => `${file} ${count}`)).toEqual(['b.mjs 2', 'c.mjs 3']);
});

it('fails if a sum rises, and names the files with more', () => {
  const places = ['a', 'b', 'b'].map((file) => ({ file, line: 1, text: '' }));
  expect(judge(places, formatCounts({ a: 1, b: 1 }))).toMatchObject({ isOk: false, sum: 3, limit: 2, risen: ['b'] });
  expect(judge(places, formatCounts({}))).toMatchObject({ risen: ['a', 'b'] });
});

it('wants counts that fell or moved to be written', () => {
  const places = ['a', 'b', 'b'].map((file) => ({ file, line: 1, text: '' }));
  expect(judge(places, formatCounts({ b: 2, a: 1 }))).toMatchObject({ isOk: true, risen: [] });
  expect(judge(places, formatCounts({ a: 2, b: 2 }))).toMatchObject({ isOk: false, risen: [] });
  expect(judge(places, formatCounts({ a: 3 }))).toMatchObject({ isOk: false, risen: [] });
  expect(judge(places, undefined)).toMatchObject({ isOk: false, risen: [], text: formatCounts({ a: 1, b: 2 }) });
});

it('reads both sides of a merge', () => {
  const text = '{\n<<<<<<< ours\n  "a": 2,\n=======\n  "a": 3,\n>>>>>>> theirs\n  "b": 1\n}\n';
  expect(judge([], text)).toMatchObject({ isOk: false, limit: 4, text: '{}\n' });
});
