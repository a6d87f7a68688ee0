import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { choose, chosen, fixture, recording, settled, test } from './page.ts';

const NATIVE = join(import.meta.dirname, '../../target/debug/unspool');
const LIST = join(import.meta.dirname, '../../../shared/corpus/compare/pairs.json');
const FOLDER = dirname(LIST);
const FORMATS = ['xray', 'apitrace', 'frames', 'rvn', 'trace-db'] as const;
const SIDES = ['a', 'b'] as const;
/** Small pairs that are compared in the browser, too: one of each format. */
const IN_BROWSER: readonly string[] = [
  'xray-moved',
  'apitrace-deleted',
  'frames-constant',
  'rvn-deleted',
  'trace-db-moved',
];
/** Pairs that the native command refuses. */
const REFUSED: readonly string[] = ['rvn-reference'];

/** A pair of the corpus, as its `pairs.json` has it. */
interface Two {
  readonly name: string;
  readonly a: string;
  readonly b: string;
  readonly binary_a?: string;
  readonly binary_b?: string;
}

/** What `unspool compare --records --json` says of a pair of threads. */
interface Thread {
  readonly hunks: readonly (readonly number[])[];
  readonly what: readonly { readonly kind: string; readonly says: string }[];
}

/** Traces of the corpus that suspects are looked for in. */
interface Runs {
  readonly pass: readonly string[];
  readonly fail: readonly string[];
}

const CORPUS: { readonly pairs: readonly Two[]; readonly suspects: readonly Runs[] } = existsSync(LIST)
  ? JSON.parse(readFileSync(LIST, 'utf8'))
  : { pairs: [], suspects: [] };
const PAIRS = CORPUS.pairs.filter(({ name }) => !REFUSED.includes(name));

const formatOf = ({ name }: Two) => FORMATS.find((format) => name.startsWith(format)) ?? '';

/** Compares two traces by the native command. */
function nativeOf(two: Two, rules: readonly string[]): readonly Thread[] {
  const binaries = SIDES.flatMap((side) => {
    const binary = two[`binary_${side}`];
    return binary ? [`--binary-${side}`, join(FOLDER, binary)] : [];
  });
  const files = [join(FOLDER, two.a), join(FOLDER, two.b)];
  const ignored = rules.flatMap((rule) => ['--ignore', rule]);
  const { status, stdout, stderr } = spawnSync(
    NATIVE,
    ['compare', ...files, '--records', '--json', ...binaries, ...ignored],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  expect([0, 1], stderr).toContain(status);
  return JSON.parse(stdout).tracks;
}

const digits = (text: string) => text.replaceAll(',', '').match(/\d+/g)?.map(Number) ?? [];

/** What is compared of a difference: its kind, and numbers that its words have. */
function ofNative({ kind, says }: Thread['what'][number], [fromA, toA, fromB, toB]: readonly number[]) {
  const [a, b] = [toA! - fromA!, toB! - fromB!];
  if (kind === 'iterations') return { kind, numbers: digits(says).toSorted() };
  if (kind === 'inside') return { kind, numbers: [] };
  return { kind, numbers: kind === 'other' ? [a, b] : [Math.max(a, b)] };
}

const KINDS = [
  ['only a', /only in A$/],
  ['only b', /only in B$/],
  ['arguments', /^Other arguments|with other contents$/],
  ['order', /in another order$/],
  ['iterations', /^Iterations:/],
  ['inside', /are inside of/],
  ['other', /in A, .* in B$/],
] as const;

function ofPage(words: string) {
  const kind = KINDS.find(([, pattern]) => pattern.test(words))?.[0] ?? words;
  return { kind, numbers: kind === 'inside' ? [] : kind === 'iterations' ? digits(words).toSorted() : digits(words) };
}

const panel = (page: Page) => page.locator('.differences');

/** The differences on the screen, the first ones in their order, and how many there are. */
async function shown(page: Page) {
  const list = panel(page).getByRole('grid', { name: 'Differences between records' });
  if ((await list.count()) === 0) return { count: 0, rows: [] };
  const count = Number(await list.getAttribute('aria-rowcount')) - 1;
  const words = await list
    .locator('tbody tr[aria-rowindex]')
    .evaluateAll((rows) =>
      rows.map((row) => (row.querySelectorAll('td')[3] as HTMLElement | undefined)?.innerText ?? ''),
    );
  return { count, rows: words.filter(Boolean).map(ofPage) };
}

/** Opens a pair as two files chosen together, with their binaries. */
async function openTwo(page: Page, two: Two): Promise<void> {
  const read = (path: string) => readFileSync(join(FOLDER, path));
  const traces = SIDES.map((side) =>
    chosen(`${side}.${basename(two[side]).split('.').slice(1).join('.')}`, read(two[side])),
  );
  const binaries = SIDES.flatMap((side) => {
    const binary = two[`binary_${side}`];
    return binary ? [chosen(`${side}.elf`, read(binary))] : [];
  });
  await choose(page, ...traces, ...binaries);
  await expect(page.locator('.side')).toHaveCount(2);
  await settled(page, 'ready', traces[0]!.name);
}

/** Waits until the page shows the differences of the native command, as many of them as are on the screen. */
async function showsAll(page: Page, threads: readonly Thread[], how: string, isCounted: boolean): Promise<void> {
  // Records that rules leave out within a difference count in its range, not in its words.
  const some = (of: ReturnType<typeof ofPage>) => (isCounted || of.kind === 'iterations' ? of : of.kind);
  const all = threads.flatMap(({ hunks, what }) => hunks.map((hunk, i) => ofNative(what[i]!, hunk)));
  const first = ({ count, rows }: { count: number; rows: readonly unknown[] }) => ({ count, rows: rows.slice(0, 4) });
  const compare = async () => {
    const { count, rows } = await shown(page);
    const is = { count, rows: rows.map(some) };
    const wanted = { count: all.length, rows: all.slice(0, rows.length).map(some) };
    return JSON.stringify(is) === JSON.stringify(wanted)
      ? 'the same'
      : JSON.stringify({ ...first(is), wanted: first(wanted) });
  };
  await expect.poll(compare, { message: how, timeout: 20_000 }).toBe('the same');
}

/** Leaves out of the comparison what the rules of {@link rulesOf} do. */
async function ignore(page: Page, format: string): Promise<void> {
  await panel(page).getByRole('button', { name: 'Ignore…' }).click();
  await page.getByRole('checkbox', { name: 'Addresses' }).check();
  if (format === 'apitrace') {
    await page.getByRole('textbox', { name: 'Functions' }).fill('glVertex*');
    await page.keyboard.press('Enter');
  }
  await page.keyboard.press('Escape');
  await expect(panel(page).getByRole('button', { name: /^Ignored: / })).toBeVisible();
}

const rulesOf = (format: string) => (format === 'apitrace' ? ['addresses', 'name:glVertex*'] : ['addresses']);

/** Compares a pair in the page, first all of it and then by rules. */
async function agree(page: Page, two: Two): Promise<void> {
  test.skip(!existsSync(NATIVE), 'the native command is not built: cargo build -p unspool-cli');
  const native = nativeOf(two, []);
  // More rows are on the screen.
  await page.setViewportSize({ width: 1440, height: 2000 });
  await openTwo(page, two);
  await page.getByRole('tab', { name: 'Differences' }).click();
  await panel(page).getByRole('radio', { name: 'Records' }).click();
  await showsAll(page, native, 'all', true);
  const format = formatOf(two);
  // A trace database has no addresses.
  if (format === 'trace-db' || native.every(({ hunks }) => hunks.length === 0)) return;
  await ignore(page, format);
  await showsAll(page, nativeOf(two, rulesOf(format)), 'with rules', false);
}

test('the corpus has pairs of each format', () => {
  recording('compare/pairs.json');
  expect(FORMATS.filter((format) => PAIRS.filter((two) => formatOf(two) === format).length < 6)).toEqual([]);
  expect(IN_BROWSER.filter((name) => !PAIRS.some((two) => two.name === name))).toEqual([]);
});

for (const two of PAIRS) {
  test(`the page and the native command say the same of ${two.name}`, ({ page }) => agree(page, two));
  if (!IN_BROWSER.includes(two.name)) continue;
  const title = `the page and the native command say the same of ${two.name}, with workers`;
  test(title, { tag: '@worker' }, ({ page }) => agree(page, two));
}

/** What `unspool suspects --json` says. */
interface NativeSuspects {
  readonly sentence: string;
  readonly passed: number;
  readonly failed: number;
  readonly statements: readonly Ranked[];
  readonly tests: readonly (Ranked & {
    readonly query: string;
    readonly failed_at: number;
    readonly passed_at: number;
    readonly lift: number;
  })[];
}

interface Ranked {
  readonly name: string;
  readonly failed: number;
  readonly passed: number;
  readonly ochiai: number;
  readonly tarantula: number;
  readonly points: readonly { readonly run: string; readonly count: number; readonly first: number }[];
}

const pointsOf = ({ points }: Ranked) =>
  points.map(({ run, first, count }) => `${basename(run)}:${first} (${count})`).join(' ');

/** A list of suspects as it is saved: rows of cells. */
async function savedList(page: Page): Promise<readonly (readonly string[])[]> {
  await panel(page).getByRole('button', { name: 'Copy or save the table' }).click();
  const saving = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Save as CSV' }).click();
  const text = readFileSync(await (await saving).path(), 'utf8');
  const lines = text.trimEnd().split(/\r?\n/).slice(1);
  return lines.map((line) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((it) => unquoted(it[1]!)).slice(0, -1),
  );
}

const unquoted = (cell: string) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);

/** Compares suspects of the page with those of the native command, each with all figures and points. */
async function suspectsAgree(
  page: Page,
  passing: readonly string[],
  failing: readonly string[],
  names: string,
): Promise<void> {
  const args = ['suspects', '--pass', ...passing, '--fail', ...failing, '--json', ...(names ? ['--names', names] : [])];
  const { stdout } = spawnSync(NATIVE, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  const native = JSON.parse(stdout) as NativeSuspects;
  const lines = [
    ...passing.map((file) => `pass ${basename(file)}`),
    ...failing.map((file) => `fail ${basename(file)}`),
  ];
  const files = [...passing, ...failing, ...(names ? [names] : [])];
  await page.goto('about:blank');
  await page.goto('./');
  await choose(
    page,
    ...files.map((file) => chosen(basename(file), readFileSync(file))),
    chosen('runs.txt', `${lines.join('\n')}\n`),
  );
  const sentence = panel(page).locator('.difference-sentence');
  await expect(sentence).toContainText(/of [\d,]+ runs failed\./, { timeout: 60_000 });
  expect((await sentence.innerText()).replaceAll('\u00a0', ' ')).toBe(native.sentence);
  const figures = ({ ochiai, tarantula }: Ranked) => [`${ochiai}`, `${tarantula}`];
  expect(await savedList(page)).toEqual(
    native.statements.map((it) => [it.name, `${it.failed}`, `${it.passed}`, ...figures(it), pointsOf(it)]),
  );
  await panel(page).getByRole('radio', { name: 'Values' }).click();
  if (native.tests.length === 0) return;
  expect(await savedList(page)).toEqual(
    native.tests.map((it) => [
      it.query,
      it.name,
      ...[it.failed, it.failed_at, it.passed, it.passed_at, it.lift, it.ochiai].map(String),
      pointsOf(it),
    ]),
  );
}

test('suspects are those of the native command, with all figures and points', { tag: '@worker' }, async ({ page }) => {
  test.skip(!existsSync(NATIVE), 'the native command is not built: cargo build -p unspool-cli');
  const mid = (run: string) => fixture(`trace_db/mid-${run}.trace`);
  const passing = ['335', '123', '321', '555', '534'].map((run) => mid(`${run}-pass`));
  await suspectsAgree(page, passing, [mid('213-fail')], fixture('trace_db/mid.csv'));
});

test('suspects of the corpus are those of the native command', { tag: '@worker' }, async ({ page }) => {
  test.skip(!existsSync(NATIVE), 'the native command is not built: cargo build -p unspool-cli');
  test.setTimeout(300_000);
  const list = recording('compare/pairs.json');
  const { suspects } = JSON.parse(readFileSync(list, 'utf8')) as {
    readonly suspects: readonly { readonly pass: readonly string[]; readonly fail: readonly string[] }[];
  };
  for (const { pass, fail } of suspects) {
    const at = (file: string) => join(dirname(list), file);
    await suspectsAgree(page, pass.map(at), fail.map(at), '');
  }
});
