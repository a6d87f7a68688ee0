import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const WEB = import.meta.dirname;
/** The rooms, each of which imports from itself and from those before it. */
const ROOMS = ['base', 'trace', 'parts', 'timeline', 'page', 'features', 'app'];
/** Style sheets whose classes are everybody's. */
const SHARED = [
  'app/style.css',
  'parts/tooltip.css',
  'parts/popover.css',
  'parts/panel.css',
  // The frame of the timeline, and the header with buttons of features.
  'timeline/canvas/timeline.css',
  'app/header/header.css',
];
/** Types that are generated from those of Rust belong to every room. */
const GENERATED = /^(?:import|export) type \{[^}]*\} from '[^']*\/worker\/wasm\/[^']*';$/gm;
/** Imports that bring no code. */
const TYPES = /^(?:import|export) type \{[^}]*\} from '[^']*';$/gm;
/** An import with a query, such as that of the address of a worker, brings no code. */
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^'?]+)'/g;

it('imports only leftwards in base <- trace <- parts <- timeline <- page <- features <- app', () => {
  const wrong: string[] = [];
  for (const file of allSources()) {
    for (const target of importsOf(file)) {
      const [from, to] = [relative(WEB, file), relative(WEB, target)];
      if (rankOf(to) > rankOf(from)) wrong.push(`${from} imports ${to}`);
    }
  }
  expect(wrong).toEqual([]);
});

it('has features that do not import each other', () => {
  const featureOf = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1];
  const wrong: string[] = [];
  for (const file of sources(join(WEB, 'features'))) {
    const from = relative(WEB, file);
    for (const to of importsOf(file).map((target) => relative(WEB, target))) {
      if (featureOf(to) && featureOf(to) !== featureOf(from)) wrong.push(`${from} imports ${to}`);
    }
  }
  expect(wrong).toEqual([]);
});

it('has workers without code of the page', () => {
  const wrong: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, entry: string) => {
    if (done.has(file)) return;
    done.add(file);
    const text = readFileSync(file, 'utf8').replace(TYPES, '');
    if (/from '(?:preact|@preact)/.test(text)) wrong.push(`${entry} brings ${relative(WEB, file)}`);
    for (const target of importsIn(text, file)) if (/\.tsx?$/.test(target)) visit(target, entry);
  };
  for (const file of allSources().filter((path) => dirname(path).endsWith('/worker'))) visit(file, relative(WEB, file));
  expect(wrong).toEqual([]);
});

it('has crates that import what the table of rooms says', () => {
  const crates = join(WEB, '../crate');
  const table = readFileSync(join(WEB, '../ARCHITECTURE.md'), 'utf8');
  const rooms = [...table.matchAll(/^\| `crate\/([a-z_]+)` \|.*\| ((?:[a-z_]+, )*[a-z_]+) \|$/gm)];
  expect(rooms.length).toBeGreaterThan(15);
  for (const [, room, said] of rooms) {
    const manifest = readFileSync(join(crates, room!, 'Cargo.toml'), 'utf8');
    const dependencies = /^\[dependencies\]\n([^[]*)/m.exec(manifest)?.[1] ?? '';
    const own = [...dependencies.matchAll(/^unspool-([a-z-]+)/gm)].map(([, name]) => name!.replaceAll('-', '_'));
    // What the surfaces of graphics and replay share with crate/wasm.
    const imported = own.filter((name) => name !== 'js' && name !== 'decompressors').sort();
    expect(imported, room).toEqual(said === 'none' ? [] : said!.split(', '));
  }
});

it('has no import cycles, of types included', () => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    const before = path.indexOf(file);
    if (before >= 0) cycles.push([...path.slice(before), file].map((each) => relative(WEB, each)).join(' -> '));
    if (before >= 0 || done.has(file)) return;
    for (const target of importsOf(file)) if (/\.tsx?$/.test(target)) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of allSources()) visit(file, []);
  expect(cycles).toEqual([]);
});

it('keeps files at a length that can be read', () => {
  const files = [...allSources(), ...sheetsOf(WEB)];
  const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 500);
  expect(long).toEqual([]);
});

it('styles classes in the folder of their component', () => {
  // Classes of these style sheets are shared: widgets of the page, the parts, and what all panels have in common.
  const shared = new Set(SHARED);
  const foreign: string[] = [];
  const sheets = allSheets().map((sheet) => relative(WEB, sheet));
  const sharedClasses = new Set(
    sheets.filter((sheet) => shared.has(sheet)).flatMap((sheet) => classesOf(readFileSync(join(WEB, sheet), 'utf8'))),
  );
  for (const sheet of sheets.filter((name) => !shared.has(name))) {
    const folder = dirname(join(WEB, sheet));
    const code = sources(folder).map((file) => readFileSync(file, 'utf8'));
    for (const name of classesOf(readFileSync(join(WEB, sheet), 'utf8'))) {
      const used = code.some((text) => new RegExp(`['"\` ]${name}['"\` $]`).test(text));
      if (!used && !sharedClasses.has(name)) foreign.push(`${sheet} styles .${name}`);
    }
  }
  expect(foreign).toEqual([]);
});

it('gives a class its looks in one folder', () => {
  // What is styled by its class alone, or by it and a tag, is styled wherever another folder uses the class, once both are loaded.
  const folders = new Map<string, Set<string>>();
  for (const sheet of allSheets()) {
    const folder = dirname(relative(WEB, sheet));
    for (const selector of selectorsOf(readFileSync(sheet, 'utf8'))) {
      const name = /^[a-z]*\.([a-z][\w-]*)(?::[\w-]+)*$/.exec(selector)?.[1];
      if (name) folders.set(name, (folders.get(name) ?? new Set()).add(folder));
    }
  }
  const shared = [...folders].filter(([, { size }]) => size > 1).map(([name, at]) => `.${name}: ${[...at].join(', ')}`);
  expect(shared).toEqual([]);
});

it('has colours, sizes and layers of the page in its tokens only', () => {
  const own: string[] = [];
  for (const sheet of allSheets()) {
    const css = readFileSync(sheet, 'utf8').replace(/--[\w-]+:[^;]*;/g, '');
    for (const [found] of css.matchAll(
      /#[\da-f]{6}\b|z-index: (?:[4-9]|\d\d)|font-size: 1[1236]px|border-radius: [2-68]px/g,
    ))
      own.push(`${relative(WEB, sheet)}: ${found}`);
  }
  expect(own).toEqual([]);
});

/** The style sheets in a folder. */
function sheetsOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.css'))
    .map((name) => join(folder, name));
}

/** The style sheets of all rooms. */
function allSheets(): string[] {
  return ROOMS.flatMap((room) => sheetsOf(join(WEB, room)));
}

/** The selectors of a style sheet. */
function selectorsOf(css: string): string[] {
  const lists = css.replace(/\/\*[\s\S]*?\*\//g, '').match(/[^{};]+(?=\{)/g) ?? [];
  return lists.flatMap((list) => list.split(',')).map((selector) => selector.trim());
}

/** The class names in the selectors of a style sheet. */
function classesOf(css: string): string[] {
  return selectorsOf(css).flatMap((selector) =>
    [...selector.matchAll(/\.([a-z][a-z0-9-]*)/g)].map(([, name]) => name!),
  );
}

/** The files that a file imports by a relative path. */
function importsOf(file: string): string[] {
  return importsIn(readFileSync(file, 'utf8'), file);
}

/** Those that a text imports as if it were that of a file. */
function importsIn(text: string, file: string): string[] {
  return [...text.replace(GENERATED, '').matchAll(IMPORT)].map(([, path]) => resolve(dirname(file), path!));
}

/** Where the room of a path is in the row of {@link ROOMS}; -1 for what is in none, such as wasm modules. */
function rankOf(path: string): number {
  return ROOMS.indexOf(path.split('/')[0]!);
}

function allSources(): string[] {
  return ROOMS.flatMap((room) => sources(join(WEB, room)));
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(test|d)\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}
