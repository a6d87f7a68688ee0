/*
 * The only tests with axe: they go through the whole page, and look for barriers at each step, in both themes. In the dark only colours are
 * checked again, as the rest is the same. A new panel, view, pane or menu is found here by its role; what is shown after a few steps only is
 * named.
 */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import axe from 'axe-core';
import {
  area,
  choose,
  chosen,
  details,
  drop,
  fixture,
  notice,
  open,
  pictured,
  selectRange,
  settled,
  showCalls,
  showPanel,
  test,
  traceWorkers,
} from './page.ts';

/** A trace of each format, with what can be typed into its search. */
const TRACES = [
  ['an XRay log', fixture('threads.xray'), '#1'],
  ['an apitrace', fixture('replay_views.trace'), 'glClear'],
  ['BAP frames', fixture('frames/calls.frames'), 'mov'],
  ['a trace-db trace', fixture('trace_db/overrun.trace'), 'i'],
  ['a REVEN trace', fixture('rvn/blocks.sqlite'), 'call'],
] as const;

/** Traces of a format that are compared. */
const PAIRS = [
  ['XRay logs', fixture('threads.xray'), fixture('events.xray')],
  ['apitraces', fixture('replay_views.trace'), fixture('replay_changed.trace')],
  ['BAP frames', fixture('frames/compare-good.frames'), fixture('frames/compare-bad.frames')],
  ['trace-db traces', fixture('trace_db/compare-good.trace'), fixture('trace_db/compare-bad.trace')],
  ['REVEN traces', fixture('rvn/compare-good.sqlite'), fixture('rvn/compare-bad.sqlite')],
] as const;

type Check = (place: string, within?: string) => Promise<void>;

const panel = (page: Page) => page.locator('.dock-panel');
const differences = (page: Page) => page.locator('.differences');
const menu = (page: Page) => page.getByRole('menu');
const dialog = (page: Page, name?: string | RegExp) => page.getByRole('dialog', name ? { name } : {});
/** The first thing that a panel shows of its trace, or the sentence that says why there is nothing. */
const shown = (within: Locator) =>
  within
    .locator('tbody tr:not(.spacer), [role=treeitem], [role=textbox], svg:not([aria-hidden]), canvas, p')
    .filter({ visible: true })
    .first();

/** A function that fails the test with the place where axe finds something: anywhere, or in what a selector names. */
function checking(page: Page): Check {
  return async (place, within) => {
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    const found = await barriers(page, null, within);
    // All of them are worth knowing at once.
    expect.soft(found, place).toEqual([]);
    await switchTheme(page, 'dark');
    const inTheDark = await barriers(page, ['color-contrast'], within);
    expect.soft(inTheDark, `${place}, in the dark`).toEqual([]);
    await switchTheme(page, 'light');
  };
}

/** Has the system prefer a theme, and waits until the document is drawn in it: otherwise the colours of the other one would be checked. */
async function switchTheme(page: Page, theme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  const html = page.locator('html');
  // A report has none: its style sheet asks the system.
  if ((await html.getAttribute('data-theme')) !== null) await expect(html).toHaveAttribute('data-theme', theme);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** Rules that are broken, with the elements that break them: of those named, or of all. */
async function barriers(page: Page, rules: readonly string[] | null, within = 'html'): Promise<string[]> {
  // Its source once for each page, and in this frame alone: the page has no frames of other origins.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(
    async ([named, selector]) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(selector!, {
        resultTypes: ['violations'],
        ...(named && { runOnly: [...(named as readonly string[])] }),
      });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(', ')}`);
    },
    [rules, within] as const,
  );
}

/** Goes through what the panel in front can be switched to, and through its menus. */
async function checkPanel(page: Page, check: Check, name: string): Promise<void> {
  const groups = panel(page).getByRole('radiogroup');
  await settle(page);
  const views = await groups.first().getByRole('radio').allInnerTexts();
  for (const view of views.length > 0 ? views : [null]) {
    const title = view ? `${name}, ${view}` : name;
    if (view) await switchTo(groups.first(), view);
    await check(await selectFirst(page, title), '.dock');
    // Views have further ones.
    for (const group of (await groups.all()).slice(1)) {
      const [first, ...others] = await group.getByRole('radio').allInnerTexts();
      for (const inner of others) {
        await switchTo(group, inner);
        await check(await selectFirst(page, `${title}, ${inner}`), '.dock');
      }
      if (await group.isVisible()) await switchTo(group, first!);
    }
    await checkModes(page, check, title);
    await checkMenus(page, check, title);
  }
}

const switchTo = (group: Locator, view: string) =>
  group
    .getByRole('radio')
    .filter({ hasText: new RegExp(`^${view.replace(/[?+]/g, '\\$&')}$`) })
    .click();

/** Waits until the panel in front shows something. */
async function settle(page: Page): Promise<void> {
  await expect(shown(panel(page))).toBeVisible();
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
}

/** Selects the first row of the panel in front, which has colours of its own. Returns what was passed. */
async function selectFirst(page: Page, title: string): Promise<string> {
  await settle(page);
  const rows = panel(page).locator('[role=grid][tabindex="0"], [role=tree][tabindex="0"]').first();
  if (!(await rows.isVisible())) return title;
  await rows.focus();
  await page.keyboard.press('Home');
  return title;
}

/** Goes through the modes of a flame graph. */
async function checkModes(page: Page, check: Check, name: string): Promise<void> {
  const mode = panel(page).getByRole('combobox', { name: 'Mode' });
  if (!(await mode.isVisible())) return;
  for (const title of (await mode.locator('option').allInnerTexts()).slice(1)) {
    await mode.selectOption(title);
    await expect(shown(panel(page))).toBeVisible();
    await check(`${name}, ${title}`, '.dock');
  }
  await mode.selectOption({ index: 0 });
}

/** Menus and popovers that were looked at on a page: many panels have the same. */
const looked = new WeakMap<Page, Set<string>>();

/** Opens each menu and each popover of the panel in front. */
async function checkMenus(page: Page, check: Check, name: string): Promise<void> {
  const seen = looked.get(page) ?? new Set();
  looked.set(page, seen);
  const buttons = panel(page).locator(':not(th) > button[aria-haspopup=menu]:enabled');
  const row = panel(page).locator('tbody tr:not(.spacer), [role=treeitem]').first();
  if (!seen.has('row') && (await row.isVisible())) {
    seen.add('row');
    await row.click({ button: 'right' });
    await expect(menu(page)).toBeVisible();
    await check(`${name}, the menu of a row`, '[role=menu]');
    await page.keyboard.press('Escape');
    await expect(menu(page)).toHaveCount(0);
  }
  const popovers = panel(page).getByRole('button', { name: /…$/, expanded: false });
  for (const [all, opened] of [
    [buttons, menu(page)],
    [popovers, dialog(page)],
  ] as const) {
    for (const button of await all.all()) {
      const title = (await button.getAttribute('aria-label')) ?? (await button.innerText());
      if (seen.has(title)) continue;
      seen.add(title);
      await button.click();
      await expect(opened).toBeVisible();
      await check(`${name}, ${title}`, '[role=menu], [role=dialog]');
      await page.keyboard.press('Escape');
      await expect(opened).toHaveCount(0);
    }
  }
}

/** The titles of all panels, those of the menu *More* at the end. */
async function allPanels(page: Page, check: Check): Promise<readonly string[]> {
  const titles = await page.getByRole('tablist', { name: 'Panels' }).getByRole('tab').allInnerTexts();
  const more = page.getByRole('button', { name: 'More', exact: true });
  if (!(await more.isVisible())) return titles;
  await more.click();
  await expect(menu(page)).toBeVisible();
  await check('the menu of further panels');
  const others = await page.getByRole('menuitem').allInnerTexts();
  await page.keyboard.press('Escape');
  return [...titles, ...others];
}

/** Goes through the panes about what is selected. */
async function checkPanes(page: Page, check: Check): Promise<void> {
  await check('Details', 'aside');
  for (const title of await panesOf(page)) {
    await page.getByRole('tab', { name: title, exact: true }).click();
    await expect(page.getByRole('complementary', { name: title })).toBeVisible();
    await check(`the pane ${title}`, 'aside');
    const views = page.locator('aside').getByRole('radiogroup').first();
    for (const view of await views.getByRole('radio').allInnerTexts()) {
      await switchTo(views, view);
      await check(`the pane ${title}, ${view}`, 'aside');
    }
  }
}

/** Titles of the panes about what is selected. */
const panesOf = (page: Page) =>
  page.getByRole('tablist', { name: 'About the selection' }).getByRole('tab').allInnerTexts();

const named = (path: string) => chosen(basename(path), readFileSync(path));

/** Opens files beside each other, with their differences in front. */
async function compare(page: Page, paths: readonly string[]): Promise<void> {
  await choose(page, ...paths.map(named));
  await settled(page, 'ready', basename(paths[0]!));
  await page.getByRole('tab', { name: 'Differences' }).click();
  await expect(differences(page).locator('.difference-sentence')).not.toBeEmpty();
}

test.describe('axe finds nothing', { tag: '@axe' }, () => {
  test.beforeEach(({ page }) => page.emulateMedia({ colorScheme: 'light' }));

  test('without a trace, with help, and with files that cannot be opened', async ({ page }) => {
    const check = checking(page);
    await settled(page, 'empty');
    await page.getByText('What else can be added').click();
    await expect(page.locator('.additions li').first()).toBeVisible();
    await check('welcome');
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('option').first()).toBeVisible();
    await check('commands');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await expect(dialog(page).getByRole('heading', { name: 'Documentation' })).toBeVisible();
    await check('help');
    await dialog(page).getByRole('button', { name: 'an investigation', exact: true }).click();
    await expect(dialog(page).getByRole('heading', { name: 'An investigation in an XRay log' })).toBeVisible();
    await check('a document', '[role=dialog], dialog');
    await dialog(page).getByRole('button', { name: 'Back to help' }).click();
    await dialog(page).getByRole('button', { name: 'About' }).click();
    await dialog(page, /^Unspool/)
      .getByRole('button', { name: 'Check files' })
      .click();
    await expect(dialog(page).getByRole('status')).toContainText(/All \d+.files/);
    await check('About', '[role=dialog], dialog');
    await page.keyboard.press('Escape');
    await choose(page, chosen('words.txt', 'no trace'));
    await settled(page, 'failed', 'words.txt');
    await check('a file that is no trace');
    await open(page, fixture('containers/traces.zip'), 'choosing' as 'failed');
    await check('the traces of an archive');
    await open(page, fixture('before_first_flush.trace'));
    await check('a trace without calls');
    await page.goto('./#unspool=1&name=other.xray&size=9&at=1,1,0');
    await page.reload();
    await expect(page.locator('.awaited')).toBeVisible();
    await check('a link to a trace');
    await open(page, fixture('threads.xray'));
    await expect(notice(page)).toContainText('another file');
    await check('a notice', '.notice');
  });

  for (const [what, path, words] of TRACES) {
    test(`in panels, panes, menus and dialogs of ${what}`, async ({ page }) => {
      const check = checking(page);
      await open(page, path);
      await pictured(page);
      await expect(page.locator('.start-here button').first()).toBeEnabled();
      await check('the first screen');
      for (const title of await allPanels(page, check)) {
        await showPanel(page, title);
        await checkPanel(page, check, title);
      }
      await page.locator('.track').first().click({ button: 'right' });
      await expect(menu(page)).toBeVisible();
      await check('the menu of a track');
      await page.keyboard.press('Escape');
      await area(page).focus();
      await page.keyboard.press('Enter');
      await expect(details(page).getByRole('heading').first()).toBeVisible();
      await checkPanes(page, check);
      for (const name of ['Export', 'Notes']) {
        await page.getByRole('button', { name, exact: true }).click();
        await expect(dialog(page, name)).toBeVisible();
        await check(`the menu ${name}`);
        await page.keyboard.press('Escape');
      }
      await page.keyboard.press('Control+f');
      await expect(page.getByRole('option').first()).toBeVisible();
      await check('the search');
      await page.keyboard.type(words);
      await expect(page.getByRole('option').first()).toBeVisible();
      await check('what the search offers', '.header');
      await page.keyboard.press('Enter');
      await expect(page.locator('.search-hits, [aria-label="Search"] output, .find-count').first()).toBeVisible();
      await check('what the search has found');
      await page.keyboard.press('Escape');
      await selectRange(page, 0.2, 0.6);
      await expect(page.locator('.range')).toBeVisible();
      await check('a range');
    });
  }

  for (const [what, ...files] of PAIRS) {
    test(`in what differs between ${what}`, async ({ page }) => {
      const check = checking(page);
      await compare(page, files);
      await check('two traces');
      await checkPanel(page, check, 'Differences');
      for (const title of await panesOf(page)) {
        await page.getByRole('tab', { name: title, exact: true }).click();
        const buttons = page.locator('aside').getByRole('button', { name: /^Compare with/ });
        // One comparison may take the button of another one with it.
        for (let at = 0; at < (await buttons.count()); at += 1) {
          await buttons.nth(at).click();
          await check(`the pane ${title}, compared`, 'aside');
        }
      }
    });
  }

  test('in calls, records and the report of what differs', async ({ page }) => {
    const check = checking(page);
    await compare(page, [fixture('threads.xray'), fixture('events.xray')]);
    await differences(page).getByRole('grid', { name: 'Differences' }).getByRole('row').nth(1).click();
    await page.keyboard.press('Enter');
    await expect(differences(page).locator('.difference-quantiles')).toBeVisible();
    await check('the calls of a function', '.dock');
    await differences(page).getByRole('radio', { name: 'Functions' }).click();
    await differences(page).getByRole('button', { name: 'Save ▾', exact: true }).click();
    const saving = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Report (HTML)' }).click();
    const body = readFileSync(await (await saving).path());
    await page.route('**/report.html', (route) => route.fulfill({ body, contentType: 'text/html' }));
    await page.goto('report.html');
    await expect(page.getByRole('img', { name: 'Flame graph of the difference' })).toBeVisible();
    await check('the report');
  });

  test('in suspects, and in several runs a side', async ({ page }) => {
    const check = checking(page);
    const runs = ['335-pass', '123-pass', '213-fail'].map((run) => fixture(`trace_db/mid-${run}.trace`));
    await choose(page, ...[...runs, fixture('trace_db/mid.csv')].map(named));
    await expect(dialog(page, 'Which of these failed?').getByRole('checkbox')).toHaveCount(3);
    await check('which runs failed');
    await page.getByRole('button', { name: 'Find suspects' }).click();
    await expect(differences(page).locator('.difference-sentence')).toContainText('1 of 3 runs failed.');
    await differences(page).locator('summary').click();
    await expect(differences(page).getByRole('list', { name: 'Runs' }).getByRole('listitem')).toHaveCount(3);
    await checkPanel(page, check, 'suspects');
    const sides: { a: string[]; b: string[] } = JSON.parse(readFileSync(fixture('runs.json'), 'utf8'));
    const sideOf = (side: 'a' | 'b') =>
      sides[side].map((file, i) => chosen(`${side}-${i + 1}.xray`, readFileSync(fixture(file))));
    await choose(page, ...sideOf('a'), ...sideOf('b'));
    await settled(page, 'ready', 'a-1.xray');
    await page.getByRole('tab', { name: 'Differences' }).click();
    await expect(differences(page).getByRole('list', { name: 'Runs' })).not.toContainText('reading');
    await check('runs', '.dock');
  });

  test('in tracks that were changed, notes, notices and the report of a failure', async ({ page }) => {
    const check = checking(page);
    await open(page, fixture('threads.xray'));
    await pictured(page);
    await page.getByRole('button', { name: /problems$/ }).click();
    await check('problems');
    await page.keyboard.press('Escape');
    await page.locator('.track', { hasText: 'main thread 4711' }).hover();
    await page.getByRole('button', { name: 'Pin main thread 4711 to the top' }).click();
    await page.getByRole('button', { name: 'Fold thread 4713' }).click();
    await page.getByRole('button', { name: /deeper rows of thread 4712/ }).click();
    await showCalls(page, 'Functions');
    await selectFirst(page, '');
    await page.getByRole('button', { name: 'Keep as track' }).first().click();
    await expect(page.locator('.track.derived')).toHaveCount(1);
    await area(page).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('m');
    await page.keyboard.type('a note');
    await check('the text of a note');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Filter tracks' }).click();
    await page.keyboard.type('47');
    await check('tracks that are pinned, folded, kept and filtered');
    await page.keyboard.press('Escape');
    await drop(page, 'events.xray', fixture('events.xray'));
    await expect(notice(page).getByRole('button', { name: 'Compare' })).toBeVisible();
    await check('a question', '.notice');
    await notice(page).getByRole('button', { name: 'Keep this trace' }).click();
    await page.setViewportSize({ width: 480, height: 800 });
    await check('a narrow window');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Fold the panels' }).click();
    await check('folded panels', '.dock');
    await traceWorkers(page)[0]!.evaluate(() => {
      setTimeout(() => {
        throw new Error('tried');
      });
    });
    await page.getByRole('button', { name: 'Copy report…' }).click();
    await expect(dialog(page, 'Report').getByRole('textbox')).not.toHaveValue('');
    await check('the report of a failure');
  });
});
