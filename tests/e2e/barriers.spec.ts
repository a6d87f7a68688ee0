import { expect, type Page } from '@playwright/test';
import { area, barriers, details, fixture, open, pictured, selectRange, settled, test } from './page.ts';

const TRACES = [
  ['an XRay log', 'threads.xray'],
  ['an apitrace', 'scene.trace'],
  ['BAP frames', 'frames/calls.frames'],
  ['a trace-db trace', 'trace_db/variables.trace'],
  ['a REVEN trace', 'rvn/blocks.sqlite'],
] as const;

const panels = (page: Page) => page.getByRole('tablist', { name: 'Panels' });
/** What the panel in front shows of its trace. */
const rows = (page: Page) => page.locator('.dock-panel').locator('[role=row], tr, textarea, svg, canvas').first();

/** A function that fails the test with the place where axe finds something: in the dark, colours only, as the rest is the same. */
function checking(page: Page, scheme: 'dark' | 'light') {
  const rules = scheme === 'dark' ? ['color-contrast'] : undefined;
  return async (place: string) => expect({ place, found: await barriers(page, rules) }).toEqual({ place, found: [] });
}

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`axe finds nothing on a ${colorScheme} page`, () => {
    test.beforeEach(({ page }) => page.emulateMedia({ colorScheme }));

    test('without a trace', async ({ page }) => {
      const check = checking(page, colorScheme);
      await settled(page, 'empty');
      await page.getByText('What else can be added').click();
      await expect(page.locator('.additions li').first()).toBeVisible();
      await check('welcome');
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('option').first()).toBeVisible();
      await check('commands');
    });

    for (const [what, path] of TRACES) {
      test(`in panels, panes and menus of ${what}`, async ({ page }) => {
        const check = checking(page, colorScheme);
        await open(page, fixture(path));
        await pictured(page);
        await expect(page.locator('.start-here button').first()).toBeEnabled();
        await check('the first screen');
        for (const name of await panels(page).getByRole('tab').allInnerTexts()) {
          await panels(page).getByRole('tab', { name, exact: true }).click();
          await expect(rows(page)).toBeVisible();
          await check(name);
        }
        await panels(page).getByRole('tab').first().click();
        await expect(rows(page)).toBeVisible();
        await page.locator('.track').first().click({ button: 'right' });
        await expect(page.getByRole('menu')).toBeVisible();
        await check('the menu of a track');
        await page.keyboard.press('Escape');
        await area(page).focus();
        await page.keyboard.press('Enter');
        await expect(details(page).getByRole('heading').first()).toBeVisible();
        await check('Details');
        for (const pane of await page.getByRole('tablist', { name: 'About the selection' }).getByRole('tab').all()) {
          await pane.click();
          await check(await pane.innerText());
        }
        for (const name of ['Export', 'Notes']) {
          await page.getByRole('button', { name, exact: true }).click();
          await expect(page.getByRole('dialog', { name })).toBeVisible();
          await check(name);
          await page.keyboard.press('Escape');
        }
        await page.keyboard.press('Control+f');
        await expect(page.getByRole('option').first()).toBeVisible();
        await check('the search');
        await page.keyboard.press('Escape');
        await selectRange(page, 0.2, 0.6);
        await expect(page.locator('.range')).toBeVisible();
        await check('a range');
      });
    }
  });
}
