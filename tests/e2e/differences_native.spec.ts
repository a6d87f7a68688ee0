import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { choose, chosen, fixture, recording, settled, test } from './page.ts';

const NATIVE = join(import.meta.dirname, '../../target/debug/unspool');
const FORMATS = ['xray', 'apitrace', 'frames', 'rvn', 'trace-db'] as const;

/** A pair of the corpus, as its `pairs.json` has it. */
interface Two {
  readonly name: string;
  readonly format: string;
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

/** Compares two traces by the native command. null if it cannot. */
function nativeOf(two: Two, folder: string, rules: readonly string[]): readonly Thread[] | null {
  const binaries = (['a', 'b'] as const).flatMap((side) => {
    const binary = two[`binary_${side}`];
    return binary ? [`--binary-${side}`, join(folder, binary)] : [];
  });
  const files = [join(folder, two.a), join(folder, two.b)];
  const ignored = rules.flatMap((rule) => ['--ignore', rule]);
  const { status, stdout } = spawnSync(NATIVE, ['compare', ...files, '--records', '--json', ...binaries, ...ignored], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return status === 0 || status === 1 ? JSON.parse(stdout).tracks : null;
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

for (const format of FORMATS) {
  test(`the page and the native command say the same of each pair of ${format}`, { tag: '@worker' }, async ({
    page,
  }) => {
    test.skip(!existsSync(NATIVE), 'the native command is not built: cargo build -p unspool-cli');
    test.setTimeout(600_000);
    const list = recording('compare/pairs.json');
    const folder = dirname(list);
    const { pairs } = JSON.parse(readFileSync(list, 'utf8')) as { readonly pairs: readonly Two[] };
    await page.setViewportSize({ width: 1440, height: 2000 });
    let compared = 0;
    for (const two of pairs.filter((it) => it.name.startsWith(format))) {
      const rules = format === 'apitrace' ? ['addresses', 'name:glVertex*'] : ['addresses'];
      const [native, ruled] = [nativeOf(two, folder, []), nativeOf(two, folder, rules)];
      if (!native || !ruled) continue;
      await page.goto('about:blank');
      await page.goto('./');
      const file = (side: 'a' | 'b') => {
        const name = two[side];
        return chosen(`${side}.${basename(name).split('.').slice(1).join('.')}`, readFileSync(join(folder, name)));
      };
      const binary = (side: 'a' | 'b') => {
        const name = two[`binary_${side}`];
        return name ? [chosen(`${side}.elf`, readFileSync(join(folder, name)))] : [];
      };
      await choose(page, file('a'), file('b'), ...binary('a'), ...binary('b'));
      const isRefused = page.locator('.welcome [role="alert"], .notice');
      await expect(page.locator('.side').nth(1).or(isRefused.first()).first()).toBeVisible();
      if ((await page.locator('.side').count()) < 2) continue;
      await settled(page, 'ready', file('a').name);
      await page.getByRole('tab', { name: 'Differences' }).click();
      await panel(page).getByRole('radio', { name: 'Records' }).click();
      const wanted = (threads: readonly Thread[]) =>
        threads.flatMap(({ hunks, what }) => hunks.map((hunk, i) => ofNative(what[i]!, hunk)));
      const agrees = async (threads: readonly Thread[], isCounted: boolean) => {
        // Records that rules leave out within a difference count in its range, not in its words.
        const some = (of: ReturnType<typeof ofPage>) => (isCounted || of.kind === 'iterations' ? of : of.kind);
        const all = wanted(threads);
        const { count, rows } = await shown(page);
        return {
          count,
          rows: rows.map(some),
          wanted: { count: all.length, rows: all.slice(0, rows.length).map(some) },
        };
      };
      const isSame = (threads: readonly Thread[], how: string, isCounted: boolean) =>
        expect
          .poll(
            async () => {
              const { count, rows, wanted } = await agrees(threads, isCounted);
              return JSON.stringify({ count, rows }) === JSON.stringify(wanted)
                ? 'the same'
                : JSON.stringify({
                    count,
                    rows: rows.slice(0, 4),
                    wanted: { ...wanted, rows: wanted.rows.slice(0, 4) },
                  });
            },
            { message: `${two.name}, ${how}`, timeout: 20_000 },
          )
          .toBe('the same');
      await isSame(native, 'all', true);
      if (native.some(({ hunks }) => hunks.length > 0)) {
        await panel(page).getByRole('button', { name: 'Ignore…' }).click();
        if (format !== 'trace-db') {
          await page.getByRole('checkbox', { name: 'Addresses' }).check();
          if (format === 'apitrace') {
            await page.getByRole('textbox', { name: 'Functions' }).fill('glVertex*');
            await page.keyboard.press('Enter');
          }
          await page.keyboard.press('Escape');
          await expect(panel(page).getByRole('button', { name: /^Ignored: / })).toBeVisible();
          await isSame(ruled, 'with rules', false);
        }
      }
      compared += 1;
    }
    expect(compared).toBeGreaterThan(5);
  });
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
