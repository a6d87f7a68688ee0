// The licences of what a build contains, with their full texts: crates from Cargo's graph, packages from that of the bundler.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, wasmModules } from './lib.mjs';

/**
 * What a build contains, and under which licence.
 *
 * @typedef {object} Licensed
 * @property {string} name
 * @property {string} from
 * @property {string} license
 * @property {readonly string[]} [authors]
 * @property {string} [folder]
 * @property {string} [text]
 */
/**
 * A package in the answer of `cargo metadata`.
 *
 * @typedef {{ id: string, name: string, version: string, source: string | null, license: string | null, authors: string[],
 *   manifest_path: string }} Crate
 */
/** @typedef {{ id: string, deps: { pkg: string, dep_kinds: { kind: string | null }[] }[] }} Node */

/** Files of a package that have its licence, or what a licence demands to be passed on. */
const TEXTS = /^(licen[cs]es?|copying|copyright|notice|unlicense)\b/i;
const LINE = `\n${'='.repeat(80)}\n\n`;

/**
 * Crates that a wasm module of the page contains, or that wrote code of it. With the features of the whole workspace, so perhaps some more:
 * one question to Cargo in place of one for each module.
 */
export function cratesOfPage() {
  return cratesOf(
    wasmModules.map((module) => module.package),
    'wasm32-unknown-unknown',
  );
}

/** Crates that the native command contains, with all its features. */
export function cratesOfCommand() {
  const [, host] = /** @type {RegExpExecArray} */ (/^host: (.+)$/m.exec(run('rustc', '--version', '--verbose')));
  return cratesOf(['unspool-cli'], host);
}

/**
 * The crates that those of the workspace with these names are built from, but for tests and build scripts.
 *
 * @param {readonly string[]} roots
 * @param {string} target
 */
function cratesOf(roots, target) {
  /** @type {{ packages: Crate[], resolve: { nodes: Node[] } }} */
  const { packages, resolve } = JSON.parse(
    run('cargo', 'metadata', '--locked', '--format-version', '1', '--filter-platform', target),
  );
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  /** @type {Set<string>} */
  const reached = new Set();
  /** @param {string} id */
  const visit = (id) => {
    if (reached.has(id)) return;
    reached.add(id);
    const { deps } = /** @type {Node} */ (nodes.get(id));
    const normal = deps.filter(({ dep_kinds: kinds }) => kinds.some(({ kind }) => kind === null));
    for (const { pkg } of normal) visit(pkg);
  };
  for (const { id, name } of packages) if (roots.includes(name)) visit(id);
  const others = packages.filter(({ id, source }) => reached.has(id) && source !== null);
  return others.map(describedCrate).sort(byName);
}

/**
 * @param {Crate} crate
 * @returns {Licensed}
 */
function describedCrate({ name, version, license, authors, manifest_path: manifest }) {
  return { name: `${name} ${version}`, from: 'crates.io', license: license ?? '', authors, folder: dirname(manifest) };
}

/** @type {(a: Licensed, b: Licensed) => number} */
const byName = (a, b) => (a.name < b.name ? -1 : 1);

/**
 * The packages that modules of the bundler are from. Some modules are the bundler's own: their names begin with NUL.
 *
 * @param {Iterable<string>} ids
 * @returns {readonly Licensed[]}
 */
export function packagesOf(ids) {
  /** @type {Set<string>} */
  const folders = new Set();
  for (const id of ids) {
    const own = /^\0(vite|rolldown)\//.exec(id)?.[1];
    const folder = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll('\\', '/').replace(/^\0/, ''))?.[1];
    if (own) folders.add(join(root, 'node_modules', own));
    else if (folder) folders.add(folder);
  }
  const packages = [...folders].map((folder) => {
    const { name, version, license = '', author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const authors = [typeof author === 'object' ? author.name : author].filter(Boolean);
    return { name: `${name} ${version}`, from: 'npm', license, authors, folder };
  });
  return packages.sort(byName);
}

/**
 * What is in the page besides crates and packages.
 *
 * @returns {readonly Licensed[]}
 */
export function othersOfPage() {
  const [rust] = /** @type {RegExpExecArray} */ (/\d[\d.]*/.exec(run('rustc', '--version')));
  return [
    {
      name: `The standard library of Rust ${rust}`,
      from: 'rust-lang.org',
      license: 'MIT OR Apache-2.0',
      authors: ['The Rust Project Developers'],
    },
    {
      name: 'The registry of OpenGL functions',
      from: 'Khronos',
      license: 'Apache-2.0',
      authors: ['The Khronos Group Inc.'],
    },
    // Both are in sql.js, as machine code and as what starts it.
    { name: 'Emscripten', from: 'sql.js', license: 'MIT', authors: ['Emscripten authors'] },
    { name: 'SQLite', from: 'sql.js', license: 'blessing', text: 'SQLite is in the public domain.' },
  ];
}

/**
 * The licences of things as one text: a list, and each different text once. Throws if the licence of one is not among those that
 * deny.toml allows, or if its text is nowhere.
 *
 * @param {readonly Licensed[]} things
 * @param {string} what
 */
export function licenseText(things, what) {
  const allowed = allowedLicenses();
  /** @type {Map<string, { number: number, text: string, of: string[] }>} */
  const texts = new Map();
  const rows = things.map((thing) => {
    const { name, from, license } = thing;
    if (!isAllowed(license, allowed)) throw new Error(`${name} is licensed under “${license}”: see deny.toml.`);
    const numbers = textsOf(thing).map((text) => {
      const key = text.replace(/\s+/g, ' ').trim();
      const entry = texts.get(key) ?? { number: texts.size + 1, text: text.trimEnd(), of: [] };
      texts.set(key, entry);
      if (!entry.of.includes(name)) entry.of.push(name);
      return entry.number;
    });
    return `${name} (${from}): ${license.replaceAll('/', ' OR ')} [${[...new Set(numbers)].sort((a, b) => a - b).join(', ')}]`;
  });
  const head = `Licences of ${what}. The numbers in brackets are those of the texts below.\n\n${rows.join('\n')}\n`;
  const bodies = [...texts.values()].map(({ number, text, of }) => `[${number}] ${of.join(', ')}\n\n${text}\n`);
  const own = `Unspool\n\n${readFileSync(join(root, 'LICENSE'), 'utf8').trimEnd()}\n`;
  return [head, own, ...bodies].join(LINE);
}

/**
 * Whether a licence in the words of SPDX, or in the older ones with slashes, is covered by those that are allowed.
 *
 * @param {string} license
 * @param {readonly string[]} allowed
 */
export function isAllowed(license, allowed) {
  const parts = license.replaceAll('/', ' OR ').replace(/[()]/g, ' ').split(' AND ');
  // Brackets are around alternatives in practice. Where they are not, this allows less.
  return parts.every((part) => part.split(' OR ').some((each) => allowed.includes(each.trim())));
}

/** The licences that deny.toml allows, and that of SQLite, which is not a crate. */
function allowedLicenses() {
  const deny = readFileSync(join(root, 'deny.toml'), 'utf8');
  const [, list] = /** @type {RegExpExecArray} */ (/^allow = \[([^\]]*)\]/m.exec(deny));
  return [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name).concat('blessing');
}

/**
 * The texts that come with something. What has none gets those of its licence, with its authors.
 *
 * @param {Licensed} thing
 */
function textsOf({ name, license, authors = [], folder, text }) {
  if (text) return [text];
  const files = folder
    ? readdirSync(folder)
        .filter((file) => TEXTS.test(file))
        .sort()
        .map((file) => join(folder, file))
    : [];
  const found = files.filter((file) => statSync(file).isFile());
  // What Vite is made of is not in what it makes.
  /** @param {string} file */
  const own = (file) =>
    readFileSync(file, 'utf8').replaceAll('\r\n', '\n').split('# Licenses of bundled dependencies')[0];
  if (found.length > 0) return found.map(own);
  const known = license
    .split(/\/| OR /)
    .map((each) => standardText(each.trim(), authors))
    .filter((each) => each !== null);
  if (known.length === 0) throw new Error(`${name} comes without the text of its licence, ${license}.`);
  return known;
}

/**
 * The text of a licence, with whom it is from. Every Rust toolchain has these.
 *
 * @param {string} license
 * @param {readonly string[]} authors
 */
function standardText(license, authors) {
  if (license === '0BSD') return ZERO_BSD.replace('AUTHORS', authors.join(', '));
  if (license !== 'MIT' && license !== 'Apache-2.0') return null;
  const text = readFileSync(
    join(run('rustc', '--print', 'sysroot'), 'share/doc/rust/licenses', `${license}.txt`),
    'utf8',
  );
  const holders = authors.length > 0 ? authors.join(', ').replace(/ <[^>]*>/g, '') : 'its authors';
  return license === 'MIT' ? text.replace('<year> <copyright holders>', holders) : `Copyright ${holders}\n\n${text}`;
}

const ZERO_BSD = `Copyright AUTHORS

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR
CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT,
NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
`;

/**
 * What a program prints. Throws with what it says is wrong.
 *
 * @param {string} program
 * @param {...string} args
 */
function run(program, ...args) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${stderr}`);
  return stdout.trim();
}
