// What the ratchets count. Each counter returns places; scripts/ratchets.mjs compares their numbers with those that are written down.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../lib.mjs';
import { declaredIn } from './declared.mjs';
import { tokensOf } from './tokens.mjs';

/**
 * A file of the repository: its path, and what it contains.
 *
 * @typedef {{ file: string, source: string }} Source
 */
/**
 * A place that counts; `count` is how much, if that is not 1.
 *
 * @typedef {{ file: string, line: number, text: string, count?: number }} Place
 */
/** @import { Token } from './tokens.mjs' */

const MOST_LINES = 120;
/** The programs of node_modules, run by Node.js: a command line of Windows is too short for so many paths. */
const BIOME = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
const TSC = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const execute = promisify(execFile);

/**
 * Words that say how a thing is related to another one, or which of several it is, but not what it is. Directions (`left`, `above`) name
 * places of a layout, and `next` and `previous` are what iterators and lists have: those are not among them.
 */
const FUNCTION_WORDS = new Set(
  [
    // Prepositions.
    'about after against along among around as at before beside between beyond by during except for from in into near of',
    'off on onto out over per since through to toward towards under until upon with within without',
    // Pronouns and determiners.
    'all any anything both each either every everything few it its itself latter least many me mine more most much neither',
    'none nothing one ones other others own same self several some something such that their them there these they this',
    'those what which who whom whose',
    // Ordinals that say nothing else.
    'first last',
    // Conjunctions and adverbs.
    'again alone also always and because but else elsewhere even ever far here how however if just never nor not now',
    'nowhere only or rather so still than then though thus together too twice very when where while why yet',
  ].flatMap((line) => line.split(' ')),
);
/** Participles that do not end in -ed. Those that are the same as the verb, such as `cut` and `read`, are not among them. */
const PARTICIPLES = new Set(
  [
    'begun bound broken brought built caught chosen done drawn driven fallen found frozen given gone grown held hidden kept',
    'known laid lost made meant met paid rewritten said seen sent shown sought spent spoken taken thought thrown told torn',
    'understood unseen won worn written',
  ].flatMap((line) => line.split(' ')),
);
/** Names in -ed that are nouns, or attributes of HTML and ARIA. */
const NO_PARTICIPLES = /^(?:embed|feed|need|red|seed|speed|checked|disabled|enabled|expanded|selected)$/;

/**
 * Whether a name is a function word or a participle, and nothing else.
 *
 * @param {string} name
 */
export function isVague(name) {
  if (FUNCTION_WORDS.has(name) || PARTICIPLES.has(name)) return true;
  return /^[a-z]+ed$/.test(name) && !NO_PARTICIPLES.test(name);
}

/**
 * Declarations of variables, parameters and functions whose names are vague.
 *
 * @param {readonly Source[]} sources
 * @returns {Place[]}
 */
export function vagueNames(sources) {
  return sources.flatMap(({ file, source }) =>
    declaredIn(tokensOf(source))
      .filter(({ name }) => isVague(name))
      .map(({ name, line }) => ({ file, line, text: name })),
  );
}

/**
 * Doc comments of TypeScript, JavaScript and Rust that begin with a question word.
 *
 * @param {readonly Source[]} sources
 * @returns {Place[]}
 */
export function questions(sources) {
  return sources.flatMap(({ file, source }) => {
    const begins = file.endsWith('.rs')
      ? // On its first line alone: the one before is not of the same comment.
        /(?<!^[ \t]*\/\/[/!].*\n)^[ \t]*\/\/[/!][ \t]+(What|How|Where)\b.*/gm
      : /^[ \t]*\/\*\*\s+(?:\*\s+)?(What|How|Where)\b.*/gm;
    return [...source.matchAll(begins)].map((match) => {
      const begin = match.index + match[0].indexOf(match[1]);
      const text = source.slice(begin, match.index + match[0].length).replace(/\s*\*\/.*/, '');
      return { file, line: lineAt(source, begin), text };
    });
  });
}

/**
 * Assertions that the compiler believes without a check: `!` after an expression, `as never`, `as any` and `as unknown as`.
 *
 * @param {readonly Source[]} sources
 * @returns {Place[]}
 */
export function assertions(sources) {
  return sources.flatMap(({ file, source }) => {
    const tokens = tokensOf(source);
    return tokens.flatMap(({ text, kind, line }, index) => {
      if (kind === 'mark' && text === '!' && endsExpression(tokens[index - 1], tokens[index]))
        return [{ file, line, text: `${tokens[index - 1].text}!` }];
      if (kind !== 'word' || text !== 'as') return [];
      const [type, next] = [tokens[index + 1]?.text, tokens[index + 2]?.text];
      if (type === 'unknown' && next === 'as') return [{ file, line, text: 'as unknown as' }];
      return type === 'never' || type === 'any' ? [{ file, line, text: `as ${type}` }] : [];
    });
  });
}

/**
 * Whether an expression ends with a token and the mark stands right after it.
 *
 * @param {Token | undefined} previous
 * @param {Token} mark
 */
function endsExpression(previous, mark) {
  if (!previous || previous.begin + previous.text.length !== mark.begin) return false;
  return previous.kind === 'word' || previous.text === ')' || previous.text === ']';
}

/**
 * Functions of more than 120 lines, from the first to the last, as Biome finds them. What `describe` calls in a test is a list of tests.
 *
 * Biome counts without comments and empty lines, so it is asked for less: its own limit is 50 lines.
 *
 * @param {readonly Source[]} sources
 * @param {string} [folder]
 * @returns {Promise<Place[]>}
 */
export async function longFunctions(sources, folder = root) {
  const long = new Map(sources.map(({ file, source }) => [file, source.split('\n')]));
  for (const [file, lines] of long) if (lines.length <= MOST_LINES) long.delete(file);
  if (long.size === 0) return [];
  const rule = ['lint', '--only=complexity/noExcessiveLinesPerFunction', '--reporter=json', '--max-diagnostics=none'];
  /** @type {{ diagnostics: { location: { path: string, start: At, end: At } }[] }} */
  const { diagnostics } = JSON.parse(await outputOf(BIOME, [...rule, ...long.keys()], folder));
  /** @typedef {{ line: number, column: number }} At */
  return diagnostics.flatMap(({ location: { path, start, end } }) => {
    const file = path.replaceAll('\\', '/');
    const opening = long.get(file)?.[start.line - 1] ?? '';
    const length = end.line - start.line + 1;
    const isList = isTest(file) && /\bdescribe(?:\.\w+)*\(/.test(opening.slice(0, start.column));
    if (length <= MOST_LINES || isList) return [];
    return [{ file, line: start.line, text: `${opening.trim()} (${length} lines)` }];
  });
}

/**
 * Scripts whose types are not checked, with the number of their lines: those that no `tsconfig.scripts.json` includes, and those that
 * tell the compiler to look away.
 *
 * @param {readonly Source[]} sources
 * @param {ReadonlySet<string>} checked
 * @returns {Place[]}
 */
export function uncheckedScripts(sources, checked) {
  return sources
    .filter(({ file, source }) => !checked.has(file) || /^\s*\/\/ *@ts-nocheck\b/m.test(source))
    .map(({ file, source }) => {
      const count = source.trimEnd().split('\n').length;
      return { file, line: 1, text: `${count} lines`, count };
    });
}

/** The files that `tsconfig.scripts.json` includes. */
export async function checkedScripts() {
  const project = 'tsconfig.scripts.json';
  if (!existsSync(join(root, project))) return new Set();
  /** @type {{ files?: string[] }} */
  const { files = [] } = JSON.parse(await outputOf(TSC, ['-p', project, '--showConfig'], root));
  return new Set(files.map((file) => file.replace(/^\.\//, '')));
}

/**
 * The output of a program of node_modules, whatever its status: Biome fails if it finds something.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 * @returns {Promise<string>}
 */
async function outputOf(program, args, cwd) {
  const options = { cwd, encoding: /** @type {const} */ ('utf8'), maxBuffer: 64 << 20 };
  const { stdout, stderr } = await execute(process.execPath, [program, ...args], options).catch((error) => error);
  if (!stdout) throw new Error(`${program} printed nothing: ${stderr}`);
  return stdout;
}

/**
 * Whether a file is a test, or something that only tests use.
 *
 * @param {string} file
 */
export function isTest(file) {
  return /\.(?:test|fixture|spec)\.tsx?$|^tests\//.test(file);
}

/**
 * The number of the line of an index.
 *
 * @param {string} source
 * @param {number} index
 */
function lineAt(source, index) {
  return source.slice(0, index).split('\n').length;
}
