// Wraps comments of Rust and texts in Markdown at 100 columns.
//
//   node scripts/wrap.mjs [--check] [FILE…]
//
// Without files: all Rust and Markdown of the repository. `--check` writes nothing and fails if a file would change.
// Code blocks, tables, headings, drawings, definitions of links and comments after code stay as they are. Paragraphs of
// `//` are only wrapped if a line is too long, because their line breaks may mean something.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { fail, root, say } from './lib.mjs';

const WIDTH = 100;
/** What would begin a block of Markdown if it stood first on a line. */
const OPENS_BLOCK = /^([-+*]|#{1,6}|\d+[.)]|[>|].*|(```|~~~).*|={2,}|-{2,})$/;
const ITEM = /^(\s*)([-*+]|\d+[.)]) +/;
const FENCE = /^\s*(```|~~~)/;
/** A drawing, a column of words, a definition of a link, a heading, a table, a quotation, HTML. */
const AS_IS = /[─│┌┐└┘├┤┬┴┼▶◀▲▼]|\S {2,}\S|-->|==>|\\$| {2}$|^\s*(\[[^\]]+\]: |#{1,6} |[|>]|<(?!https?:)[a-z!/])/;

/**
 * The words of a text. Code and links are not broken, and no word that opens a block begins a line.
 *
 * @param {string} text
 * @returns {string[]}
 */
function words(text) {
  /** @type {string[]} */
  const found = [];
  for (const word of text.match(/(?:!?\[[^\]\n]*\](?:\([^)\s]*\))|`[^`]*`|\S)+/g) ?? []) {
    if (found.length > 0 && OPENS_BLOCK.test(word)) found[found.length - 1] += ` ${word}`;
    else found.push(word);
  }
  return found;
}

/**
 * Fills lines of at most `width` columns: the first after `first`, the others after `rest`.
 *
 * @param {string} text
 * @param {string} first
 * @param {string} rest
 * @param {number} width
 */
function fill(text, first, rest, width) {
  /** @type {string[]} */
  const lines = [];
  let line = first;
  let isEmpty = true;
  for (const word of words(text)) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      [line, isEmpty] = [rest, true];
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  lines.push(line);
  return lines;
}

/**
 * Wraps the lines of a Markdown text at `width` columns.
 *
 * `needsLong` leaves paragraphs alone in which no line is too long.
 *
 * @param {readonly string[]} lines
 * @param {number} width
 */
export function wrapText(lines, width, needsLong = false) {
  /** @type {string[]} */
  const out = [];
  let fence;
  let item = ''; // The indentation of what belongs to the list item before.
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    const ticks = FENCE.exec(line)?.[1];
    if (fence ?? ticks) {
      fence = fence === undefined ? ticks : fence === ticks ? undefined : fence;
      out.push(line);
      at++;
      continue;
    }
    const bullet = ITEM.exec(line)?.[0];
    const [indent] = /** @type {RegExpExecArray} */ (/^\s*/.exec(line));
    if (!bullet && line.trim() && indent.length < item.length) item = '';
    // Four columns beyond the text around them are code.
    const isCode = bullet ? indent.length >= item.length + 4 : indent.length !== item.length;
    if (!line.trim() || isCode || AS_IS.test(line.slice(bullet?.length ?? 0))) {
      out.push(line);
      at++;
      continue;
    }
    if (bullet) item = ' '.repeat(bullet.length);
    const end = paragraphEnd(lines, at, item);
    const paragraph = lines.slice(at, end);
    const isKept = paragraph.slice(1).some((next) => AS_IS.test(next));
    if (isKept || (needsLong && paragraph.every((next) => next.length <= width))) out.push(...paragraph);
    else {
      const text = [line.slice((bullet ?? item).length), ...paragraph.slice(1)].join(' ');
      out.push(...fill(text, bullet ?? item, item, width));
    }
    at = end;
  }
  return out;
}

/**
 * The line after the paragraph that begins at `at`.
 *
 * @param {readonly string[]} lines
 * @param {number} at
 * @param {string} item
 */
function paragraphEnd(lines, at, item) {
  let end = at + 1;
  for (; end < lines.length; end++) {
    const line = lines[end];
    const [indent] = /** @type {RegExpExecArray} */ (/^\s*/.exec(line));
    if (!line.trim() || FENCE.test(line) || ITEM.test(line) || indent.length !== item.length) break;
    if (/^\s*(#{1,6} |[|>])/.test(line)) break;
  }
  return end;
}

/**
 * Wraps the comments of a Rust source that have lines of their own.
 *
 * @param {string} source
 */
export function wrapRust(source, width = WIDTH) {
  const lines = source.split('\n');
  const own = commentLines(source);
  /** @type {string[]} */
  const out = [];
  for (let at = 0; at < lines.length; ) {
    const [, indent, marker] = /^(\s*)(\/\/[/!]?)(?= |$)/.exec(lines[at]) ?? [];
    if (marker === undefined || !own.has(at)) {
      out.push(lines[at++]);
      continue;
    }
    const prefix = indent + marker;
    let end = at + 1;
    while (end < lines.length && own.has(end) && (lines[end] === prefix || lines[end].startsWith(`${prefix} `))) end++;
    if (isVerbatim(lines, end)) {
      out.push(...lines.slice(at, end));
      at = end;
      continue;
    }
    const text = lines.slice(at, end).map((line) => line.slice(prefix.length + 1));
    const wrapped = wrapText(text, width - prefix.length - 1, marker === '//');
    out.push(...wrapped.map((line) => (line ? `${prefix} ${line}` : prefix)));
    at = end;
  }
  return out.join('\n');
}

/**
 * Whether clap prints a doc comment that ends before a line as it stands.
 *
 * @param {readonly string[]} lines
 * @param {number} at
 */
function isVerbatim(lines, at) {
  let end = at;
  while (lines[end]?.trim().startsWith('#[')) end++;
  return lines.slice(at, end).some((line) => line.includes('verbatim_doc_comment'));
}

/**
 * The numbers of the lines that are line comments: not those within strings and block comments.
 *
 * @param {string} source
 */
function commentLines(source) {
  const TOKEN = /\/\/[^\n]*|\/\*|\b(?:b|c)?r(#*)"|"|'(?:\\[^\n]*?|[^\\'\n])'|\n/g;
  /** @type {Set<number>} */
  const found = new Set();
  let line = 0;
  for (let match = TOKEN.exec(source); match; match = TOKEN.exec(source)) {
    const [token, hashes] = match;
    const begin = match.index;
    if (token === '\n') line++;
    else if (token.startsWith('//')) {
      if (!source.slice(source.lastIndexOf('\n', begin) + 1, begin).trim()) found.add(line);
    } else if (token === '/*' || token.endsWith('"')) {
      TOKEN.lastIndex = token === '/*' ? blockEnd(source, begin) : stringEnd(source, begin + token.length, hashes);
      line += source.slice(begin, TOKEN.lastIndex).split('\n').length - 1;
    }
  }
  return found;
}

/**
 * Where a string ends whose text begins at `from`; with `hashes`, one without escapes.
 *
 * @param {string} source
 * @param {number} from
 * @param {string} [hashes]
 */
function stringEnd(source, from, hashes) {
  if (hashes !== undefined) {
    const at = source.indexOf(`"${hashes}`, from);
    return at < 0 ? source.length : at + 1 + hashes.length;
  }
  const escaped = /(?:[^"\\]|\\[\s\S])*"?/y;
  escaped.lastIndex = from;
  escaped.exec(source);
  return escaped.lastIndex;
}

/**
 * Where a block comment ends that begins at `from`; they nest.
 *
 * @param {string} source
 * @param {number} from
 */
function blockEnd(source, from) {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = from;
  let depth = 0;
  for (let match = edge.exec(source); match; match = edge.exec(source)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return source.length;
}

/**
 * Wraps a file by its name.
 *
 * @param {string} name
 * @param {string} source
 */
export function wrapFile(name, source) {
  return name.endsWith('.md') ? wrapText(source.split('\n'), WIDTH).join('\n') : wrapRust(source);
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const given = argv.slice(2).filter((argument) => argument !== '--check');
  const all = execFileSync('git', ['ls-files', '*.rs', '*.md'], { cwd: root, encoding: 'utf8' });
  process.chdir(given.length > 0 ? '.' : root);
  const files = given.length > 0 ? given : all.trim().split('\n');
  const changed = files.filter((name) => {
    const source = readFileSync(name, 'utf8');
    const wrapped = wrapFile(name, source);
    if (wrapped !== source && !argv.includes('--check')) writeFileSync(name, wrapped);
    return wrapped !== source;
  });
  for (const name of changed) say(name);
  if (changed.length > 0 && argv.includes('--check'))
    fail(`${changed.length} files are not wrapped: run node scripts/wrap.mjs.`);
}
