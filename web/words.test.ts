import { expect, it } from 'vitest';
import { faults } from '../scripts/words.mjs';

const of = (name: string, source: string) => faults(name, source).map(({ line, text }) => `${line} ${text}`);

it('finds words in comments and documents, with their lines', () => {
  expect(of('a.rs', 'fn f() {}\n/// Made anew.\nlet x = 1; // for whoever asks')).toEqual(['2 anew', '3 whoever']);
  expect(of('a.ts', '/**\n * The person, in so many\n * words.\n */\nf();')).toEqual(['2 The person', '2 in so many']);
  expect(of('a.md', 'It is no trace, and a group is none.')).toEqual(['1 is none', '1 is no t']);
});

it('finds words in messages, but not in those of tests', () => {
  expect(of('a.rs', 'f("nobody wrote it");\n#[cfg(test)]\nmod tests { f("made by nobody"); }')).toEqual(['1 nobody']);
  expect(of('a.tsx', '  Written anew at\n<p title="for somebody">')).toEqual(['1 anew', '2 somebody']);
  expect(of('a.test.ts', "f('1,nobody or somebody');")).toEqual([]);
});

it('leaves names, quotations, code and good English alone', () => {
  const good = [
    '// There is none if it is no longer open, and there are none left.',
    '// Says `anew`, “nobody” and "whoever".',
    '/// ```\n/// let anew = 1; // anew\n/// ```',
    'let anew = told.nobody(somebody);',
    '// Slices that nothing tells apart are told apart by their names.',
    '// It has so many slices that it is closed.',
  ];
  expect(of('a.ts', good.join('\n\n'))).toEqual([]);
  expect(of('a.md', '```\nanew\n```\n\n    nobody\n\n`whoever`')).toEqual([]);
});
