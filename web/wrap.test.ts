import { expect, it } from 'vitest';
import { wrapRust, wrapText } from '../scripts/wrap.mjs';

const long = 'word '.repeat(30).trim();

it('wraps long comments of Rust and keeps their markers', () => {
  const wrapped = wrapRust(`    /// ${long}\n    fn f() {}\n`);
  expect(wrapped.split('\n').map((line) => line.length <= 100)).not.toContain(false);
  expect(wrapped.replaceAll(/\s*\/\/\/\s*|\s+/g, ' ').trim()).toBe(`${long} fn f() {}`);
  expect(wrapRust(wrapped)).toBe(wrapped);
});

it('leaves code, strings, and what clap prints as they are', () => {
  const kept = [
    `let a = 1; // ${long}`,
    `let b = r#"\n// ${long}\n"#;`,
    `let c = "\\"\n// ${long}\n";`,
    `/* /* */\n// ${long}\n*/`,
    `/// ${long}\n#[arg(long)]\n#[command(verbatim_doc_comment)]`,
    `/// \`\`\`text\n/// ${long}\n/// \`\`\``,
    `// short\n// lines`,
  ].join('\n\n');
  expect(wrapRust(kept)).toBe(kept);
});

it('finds comments after characters and lifetimes', () => {
  expect(wrapRust(`fn f<'a>(x: &'a str) { '"' }\n// ${long}`)).toMatch(/\n\/\/ word[ word]+\n\/\/ word/);
});

it('leaves tables, headings, drawings and definitions of links alone, and hangs lists', () => {
  const kept = ['# Heading', `| ${long} |`, `a ──▶ ${long}`, `[a]: ${long}`, '', `    ${long}`];
  expect(wrapText(kept, 40)).toEqual(kept);
  expect(wrapText(['- one two', '  three', '- four'], 9)).toEqual(['- one two', '  three', '- four']);
  expect(wrapText(['1. one two three'], 12)).toEqual(['1. one two', '   three']);
});

it('breaks neither code nor links, and begins no block', () => {
  expect(wrapText(['one `two three` four'], 10)).toEqual(['one', '`two three`', 'four']);
  expect(wrapText(['one [two three](four) five'], 12)).toEqual(['one', '[two three](four)', 'five']);
  expect(wrapText(['one two - three'], 8)).toEqual(['one', 'two -', 'three']);
});
