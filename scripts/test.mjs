// `npm test`: all checks. What is slow and rarely breaks runs where its room was touched, and always in CI and with `--all`.
//
//   npm test -- [--only words|rust|nostd|oldest|python|web|e2e|firefox|wasm|corpus] [--all] [--keep-going]
//
// Announces each step with the seconds since the start, and passes its output through. The last line says what ran, and what was left out.

import { existsSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { lacking } from './browsers/drivers.mjs';
import { tryIn } from './browsers.mjs';
import {
  buildWasm,
  ci,
  clippy,
  fail,
  find,
  findChromium,
  findHeadless,
  findWasmPack,
  installed,
  options,
  output,
  root,
  run,
  say,
  wasmModules,
  windows,
} from './lib.mjs';
import { runChecks, TEXTS } from './precommit.mjs';
import { testMcp } from './protocol.mjs';
import { testPython } from './python.mjs';
import { checkSizes } from './sizes.mjs';

const WASM = 'wasm32-unknown-unknown';
const xtask = ['--manifest-path', 'xtask/Cargo.toml'];
const strict = ['--', '-D', 'warnings'];
const checks = join(root, '..', 'shared', 'check');

/** The crates of all wasm modules. */
const MODULES = wasmModules.flatMap(({ package: name, features = [] }) => [
  ...['-p', name],
  ...features.flatMap((feature) => ['--features', `${name}/${feature}`]),
]);

/**
 * With Parquet, which the command has on demand: otherwise all of the command would be compiled a second time to test it. The session's
 * tests run in a browser alone.
 */
const tests = [
  'test',
  '--workspace',
  ...['--exclude', 'unspool-wasm-session'],
  ...['--features', 'unspool-cli/parquet'],
  '--locked',
];
/** The command as the tests build it, with few of them. Other arguments would make cargo compile its crates again. */
const command = [...tests, '--no-run', '--test', 'all'];
/** Measurements, which no test runs: they are compiled, because that checks them. */
const measurements = [...tests, '--no-run', '--bench', 'decoders'];

/** Named where it is left out, and where the check of the oldest Rust takes it over. */
const LINKS = 'links of the documentation';
const documentation = ['doc', '--workspace', '--no-deps', '--locked', '--quiet'];

/** @typedef {() => number | Promise<number>} Step Resolves to an exit status. */

/**
 * Slow parts that rarely break. `tests`: the beginnings of the names of tests of the page, in Node and in the browser. `rooms`: such a
 * part runs if a path that matches has changed.
 *
 * @type {Record<string, { tests: readonly string[], rooms: RegExp }>}
 */
const RARE = {
  pictures: {
    tests: ['replay'],
    rooms:
      /^(crate\/(replay|graphics|gl|formats\/src\/apitrace)|web\/.*(replay|picture|mesh)|tests\/(e2e\/(replay|gpu)|fixtures\/apitrace))/,
  },
  'hostile files': {
    tests: ['hostile'],
    rooms:
      /^(crate\/(trace|containers|formats|records|engine|wasm|archives)\/|web\/(trace|features\/\w+\/worker)\/|tests\/e2e\/hostile)/,
  },
  'real traces': { tests: [], rooms: /^crate\// },
  [LINKS]: { tests: [], rooms: /^(crate\/|Cargo)/ },
  'conversation by the Model Context Protocol': { tests: [], rooms: /^(crate\/(?!wasm|replay|gl)|scripts\/protocol)/ },
  chores: { tests: [], rooms: /^(xtask\/|Cargo|crate\/gl\/)/ },
  'lints of the wasm modules': {
    tests: [],
    rooms: /^(crate\/(wasm|graphics|replay|compare|containers|engine)\/|Cargo|clippy)/,
  },
  'builds without std': { tests: [], rooms: /^(crate\/(trace|containers|formats|cut|stacks)\/|Cargo)/ },
  'the oldest Rust': { tests: [], rooms: /^(crate\/|Cargo)/ },
  'the Python package': { tests: [], rooms: /^((python|crate)\/|docs\/(python|fleet)\.md$)/ },
};
/** Folders of the corpus whose findings are computed once more, and traces whose counts of OpenGL calls are. */
const CLAIMED = ['findings', 'why', 'xray', 'xray-real', 'trace-db', 'frames', 'rvn', 'features', 'compare', 'calls'];
const OPENGL = [
  ...['chromium-bsu', 'kitty', 'lugaru', 'qtquick6', 'supertux'].map((name) => `programs/${name}.trace`),
  ...['finish', 'thrown-away', 'uploads'].map((name) => `findings/${name}.trace`),
];
/** Frames of the corpus that are cut out and replayed: display lists, shaders, several contexts. All that there are would take minutes. */
const CUT_FRAMES = [
  'glxgears_3s.6298',
  'glmark2_medium.57099',
  'gtk4_widgets.19912',
  'kitty.3287',
  'qtquick6.7165',
  'supertux.142267',
];

/**
 * The parts in the order they run: the fastest to fail first, the one with the most informative last line last.
 *
 * @type {Record<string, Step[]>}
 */
const PARTS = {
  words: [words, licences],
  rust: [
    // The only checks of code that exists for wasm32 alone. The session has tests there.
    unlessLeftOut('lints of the wasm modules', () =>
      cargo('clippy', ...MODULES, '--lib', '--test', 'session', '--target', WASM, '--locked', ...strict),
    ),
    () => linted(...measurements),
    () => linted(...tests),
    // With the command that the tests have built.
    unlessLeftOut('conversation by the Model Context Protocol', () => testMcp(env)),
    unlessLeftOut(LINKS, async () => ((await oldest()).isThere ? 0 : cargo(...documentation))),
    ...[
      () => linted('test', ...xtask, '--workspace', '--locked'),
      // The table of OpenGL functions, if Khronos' registry is installed.
      () => cargo('xtask', 'gl', '--check'),
    ].map((step) => unlessLeftOut('chores', step)),
  ],
  nostd: [WASM, 'thumbv7em-none-eabi'].map((target) =>
    unlessLeftOut('builds without std', () =>
      // What needs std is not found, without machine code, too.
      cargo(
        'check',
        '-p',
        'unspool-formats',
        '--no-default-features',
        '--features',
        'decompressors',
        '--locked',
        '--target',
        target,
      ),
    ),
  ),
  oldest: [unlessLeftOut('the oldest Rust', oldestRust)],
  python: [unlessLeftOut('the Python package', python)],
  web: [
    wasm,
    () => node('biome', 'ci', '.', ...(ci ? ['--colors=off'] : [])),
    () => node('tsc', '--noEmit'),
    () => node('tsc', '-p', 'tsconfig.scripts.json'),
    () => announced(installed('vitest'), ['run'], withoutRare()),
  ],
  wasm: [wasmTest],
  e2e: [wasm, page, sizes, () => announced(installed('playwright'), ['test'], withoutRare())],
  firefox: [firefox],
  corpus: [unlessLeftOut('real traces', corpus)],
};

const given = options(['only'], ['all', 'keep-going']);
if (given.only && !(given.only in PARTS)) fail(`--only takes one of ${Object.keys(PARTS).join(', ')}.`);

// Set before anything runs: steps with different flags would compile everything again.
const [chromium, headless] = [findChromium(), findHeadless()];
/** @type {NodeJS.ProcessEnv} */
const env = { ...(chromium && { CHROMIUM: chromium }), ...(headless && { CHROMIUM_HEADLESS: headless }) };
if (ci) Object.assign(env, { CARGO_INCREMENTAL: '0', CARGO_TERM_COLOR: 'never', NO_COLOR: '1' });
// A change is judged by the same inputs as the one before. Everywhere else they are random and find what is new.
if (ci) env['PROPTEST_RNG_SEED'] = process.env['PROPTEST_RNG_SEED'] ?? '1';

/** What is left out of {@link RARE}. */
const leftOut = ci || given.all ? [] : untouched();
const began = performance.now();
/** @param {number} since */
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(0)} s`;
const failed = new Set();
const times = [];
/** @type {Promise<number> | undefined} */
let wasmBuilt;
/** @type {Promise<number> | undefined} */
let pageBuilt;
for (const [name, steps] of Object.entries(PARTS)) {
  if (given.only && name !== given.only) continue;
  const start = performance.now();
  for (const step of steps) {
    if ((await step()) === 0) continue;
    failed.add(name);
    if (!given['keep-going']) fail(`npm test stopped in part ${name}.`);
  }
  times.push(`${name} ${seconds(start)}`);
}
if (failed.size > 0) fail(`Failed: ${[...failed].join(', ')} (${times.join(', ')}).`);
const why =
  leftOut.length > 0
    ? ` Left out, because nothing of theirs has changed: ${leftOut.join(', ')}. \`npm test -- --all\` runs them.`
    : '';
say(`Passed: ${times.join(', ')}.${why}`);

/** Names the tests of the page that are left out, for Playwright and for Vitest. */
function withoutRare() {
  const tests = leftOut.flatMap((name) => RARE[name].tests);
  return tests.length > 0 ? { E2E_LEAVE_OUT: tests.join(',') } : {};
}

/** What of {@link RARE} no commit since the published branch and no change of the working tree touches. Nothing if git does not know. */
function untouched() {
  const base = output('git', ['merge-base', 'HEAD', 'origin/HEAD']);
  const changed = base && output('git', ['diff', '--name-only', base]);
  const added = output('git', ['ls-files', '--others', '--exclude-standard']);
  if (changed === undefined || added === undefined) return [];
  const paths = [...changed.split('\n'), ...added.split('\n')];
  return Object.keys(RARE).filter((name) => !paths.some((path) => RARE[name].rooms.test(path)));
}

/** The sizes of the page, without those of the modules, which are not optimised. */
function sizes() {
  checkSizes(true);
  return 0;
}

/**
 * A step, unless what it is about is left out.
 *
 * @param {string} name
 * @param {Step} step
 * @returns {Step}
 */
function unlessLeftOut(name, step) {
  return () => (leftOut.includes(name) ? 0 : step());
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} more
 */
async function announced(program, args, more = {}) {
  say(`[${seconds(began)}] ${[basename(program), ...args].join(' ')}`);
  return run(program, args, { env: { ...env, ...more } });
}

/** @param {...string} args */
function cargo(...args) {
  return announced('cargo', args);
}

/**
 * Runs cargo with {@link clippy} as the compiler of what is ours.
 *
 * @param {...string} args
 */
function linted(...args) {
  return announced('cargo', args, clippy());
}

/**
 * Runs a program in node_modules.
 *
 * @param {string} name
 * @param {...string} args
 */
function node(name, ...args) {
  return announced(installed(name), args);
}

/** Checks the format of Rust, words and the width of comments, and the ratchets. */
async function words() {
  say(`[${seconds(began)}] ${TEXTS.map(({ name }) => name).join(', ')}`);
  return (await runChecks(TEXTS)).length;
}

/** The oldest Rust that Cargo.toml promises, as rustup names it, and whether it is installed. */
async function oldest() {
  const cargoToml = readFileSync(join(root, 'Cargo.toml'), 'utf8');
  const [, version] = /** @type {RegExpExecArray} */ (/^rust-version = "([\d.]+)"$/m.exec(cargoToml));
  const toolchain = `${version}.0`;
  const isThere = () => output('rustup', ['run', toolchain, 'cargo', '--version']) !== undefined;
  if (ci && !isThere())
    await run('rustup', ['toolchain', 'install', toolchain, '--profile', 'minimal', '--no-self-update']);
  return { toolchain, isThere: isThere() };
}

/**
 * Checks that all crates compile with the oldest Rust, in a folder of its own, which keeps what was compiled, and with it the links of the
 * documentation, which need what that check made of others' crates.
 */
async function oldestRust() {
  const { toolchain, isThere } = await oldest();
  if (!isThere) {
    say(`skipped: Rust ${toolchain}. \`rustup toolchain install ${toolchain} --profile minimal\` installs it.`);
    return 0;
  }
  const its = [`+${toolchain}`];
  const folder = ['--target-dir', 'target/oldest'];
  const status = await cargo(...its, 'check', '--workspace', '--locked', ...folder);
  return status || leftOut.includes(LINKS) ? status : cargo(...its, ...documentation, ...folder);
}

/** Checks licences and sources of all crates, if cargo-deny is installed. The build of the page checks those of the page in any case. */
function licences() {
  if (find('cargo-deny')) return announced(process.execPath, ['scripts/audit.mjs', '--offline']);
  say(
    'skipped: licences of what is not part of the page. `cargo install --locked cargo-deny` compiles what checks them.',
  );
  return 0;
}

/** Tests the Python package, with the command that the Rust tests have built. */
function python() {
  say(`[${seconds(began)}] the Python package`);
  return testPython(env);
}

/** Builds the wasm once, for all parts that need it. */
function wasm() {
  wasmBuilt ??= announced(...buildWasm('wasm-dev'));
  return wasmBuilt;
}

/** Builds the page once: that of a host, and the one that is a file. */
function page() {
  const build = async () => (await node('vite', 'build')) || node('vite', 'build', '--mode', 'one-file');
  pageBuilt ??= build();
  return pageBuilt;
}

/** Tries the page in Firefox, where all of it must work. */
async function firefox() {
  const missing = lacking('firefox');
  if (missing) {
    say(`skipped: Firefox. ${missing}.`);
    return 0;
  }
  // The command that the Rust tests have run says what is right.
  for (const step of [wasm, page, () => linted(...command)]) {
    const status = await step();
    if (status !== 0) return status;
  }
  say(`[${seconds(began)}] Firefox`);
  return tryIn('firefox', { isWhole: true });
}

/** Runs the tests of the session's module in a real browser: by wasm-pack where it is installed, as in CI, otherwise by cargo alone. */
async function wasmTest() {
  const pack = findWasmPack();
  const driver = find('chromedriver');
  if (ci && !pack) fail('wasm-pack is needed: run `node scripts/prepare.mjs wasm-pack`.');
  if (!driver) fail('ChromeDriver is needed: run `node scripts/prepare.mjs test`.');
  const built = await cargo('build', ...xtask, '--package', 'test-runner', '--locked', '--target-dir', 'xtask/target');
  if (built !== 0) return built;
  const runners = join(root, 'xtask', 'target', 'debug');
  // A cold Chromium on a busy machine takes longer than the default 5 s to start.
  const patience = { WASM_BINDGEN_TEST_DRIVER_TIMEOUT: '60', WASM_BINDGEN_TEST_TIMEOUT: '120' };
  // With the profile of the page, whose crates are compiled already.
  if (pack) {
    // wasm-pack uses the wasm-bindgen on the PATH if its version matches, and compiles one otherwise.
    const PATH = [runners, dirname(pack), process.env['PATH']].join(delimiter);
    const args = ['test', '--headless', '--chrome', 'crate/wasm/session', '--profile', 'wasm-dev'];
    return announced(pack, args, { PATH, ...patience });
  }
  // As wasm-pack does it, which compiles three crates of the page again. To name all modules here would do so with thirteen.
  const args = ['test', '-p', 'unspool-wasm-session', '--target', WASM, '--profile', 'wasm-dev', '--locked'];
  return announced('cargo', args, {
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: join(runners, `wasm-bindgen-test-runner${windows ? '.exe' : ''}`),
    CHROMEDRIVER: driver,
    ...patience,
  });
}

/** Compares real files with reference tools, known call stacks, and independently computed statistics. */
async function corpus() {
  const names = [
    'check_corpus.py',
    'check_stats.py',
    'check_calls.py',
    'check_public.py',
    'check_steps.py',
    'check_state.py',
    'check_hostile.py',
    'check_attacks.py',
    'check_features.py',
  ];
  const [records, ...others] = names.map((name) => join(checks, name));
  if (!existsSync(records) || !find('python3')) {
    say('skipped: the corpus of real traces, its checkers or python3 are missing');
    return 0;
  }
  // The command that the Rust tests have run: optimising it takes longer than it saves here.
  const built = await linted(...command);
  if (built !== 0) return built;
  const cli = ['--cli', 'target/debug/unspool'];
  const more = [
    ...['check_compare.py', 'check_why.py', 'check_findings.py', 'check_sentences.py'].map((name) => [
      join(checks, name),
    ]),
    [join(checks, 'check_counts.py'), ...OPENGL.map((name) => join(checks, '../corpus', name))],
    ['scripts/claims.py', ...CLAIMED.map((name) => join(checks, '../corpus', name))],
    ['scripts/verdicts.py'],
  ];
  // Frames that are cut out are replayed natively: of each kind of trace some, within seconds.
  const missing = ['apitrace', 'xvfb-run'].filter((name) => !find(name));
  if (missing.length > 0)
    say(
      `skipped: native replay of frames that are cut out, which needs ${missing.join(' and ')} (Debian: apitrace, xvfb)`,
    );
  else more.push(...CUT_FRAMES.map((name) => [join(checks, 'check_frame.py'), '--only', name]));
  const checkers = [...others.map((checker) => [checker]), ...more].filter(([checker]) => existsSync(checker));
  for (const [checker, ...options] of checkers) {
    const status = await announced('python3', [checker, ...cli, ...options]);
    if (status !== 0) return status;
  }
  return announced('python3', [records, ...cli]);
}
