import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { SWIFTSHADER } from './gpu.ts';
import { choose, chosen, fixture, open, settled, showPanel, test, typeGoTo } from './page.ts';

test.use({ launchOptions: SWIFTSHADER });
test.describe.configure({ mode: 'default' });

const BEFORE = readFileSync(fixture('replay_views.trace'));
/** The square of frame 1 is pink, not green, and a frame follows that `BEFORE` lacks. */
const AFTER = readFileSync(fixture('replay_changed.trace'));

const picture = (page: Page) => page.getByRole('complementary', { name: 'Picture' });
const both = (page: Page) => picture(page).getByRole('region', { name: 'Compared pictures' });
const windowOf = (page: Page) => both(page).getByRole('application', { name: /^Pictures of/ });
const figures = (page: Page) => both(page).locator('.both-figures');

/** Opens two traces together, A in front, with its picture. */
async function pictures(page: Page, before = BEFORE, after = AFTER): Promise<void> {
  await choose(page, chosen('before.trace', before), chosen('after.trace', after));
  await settled(page, 'ready', 'before.trace');
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  await expect(picture(page).getByRole('img', { name: /^Picture of/ })).toBeVisible({ timeout: 30_000 });
}

/** Compares pictures of both, after a call of A. */
async function compare(page: Page, call: number): Promise<void> {
  await picture(page).getByRole('button', { name: 'Compare with B', exact: true }).click();
  await typeGoTo(page, call);
  await expect(both(page)).toContainText(`call ${call}`);
}

/** The colour of a pixel of the picture in the window, or of the one above it. */
async function colorAt(page: Page, x: number, y: number, nth = 0): Promise<string> {
  const canvas = windowOf(page).locator('canvas').nth(nth);
  return canvas.evaluate(
    (it: HTMLCanvasElement, at) => [...it.getContext('2d')!.getImageData(at[0]!, at[1]!, 1, 1).data].join(' '),
    [x, y] as const,
  );
}

/** Brings B to the front. */
async function bringB(page: Page): Promise<void> {
  await page.getByRole('radiogroup', { name: 'Trace in front' }).getByRole('radio', { name: 'B' }).click();
  await expect(page.locator('.pane-side')).toHaveText('B');
}

/** Shows both in another way. */
const show = (page: Page, way: string) => both(page).getByRole('radio', { name: way, exact: true }).click();

const [GREEN, PINK, BLUE] = ['0 255 128 255', '255 0 128 255', '0 0 255 255'];

test('pictures of both are compared at the same draw: each, their difference, with a slider and blinking', {
  tag: '@webgl',
}, async ({ page }) => {
  await pictures(page);
  // The end of frame 1.
  await compare(page, 75);
  await expect(both(page)).toContainText('Paired by the calls that both have.');
  await expect(figures(page)).toHaveText(/^768 of 3,072 pixels differ \(25\.0\s%\), by 255 of 255 at most\./);
  await expect.poll(() => colorAt(page, 32, 24, 1)).toBe(GREEN);
  expect(await colorAt(page, 32, 24, 0)).toBe(PINK);
  await both(page).getByRole('slider', { name: 'Share of the first picture' }).fill('20');
  await expect(windowOf(page).locator('.both-clip')).toHaveCSS('clip-path', 'inset(0px 80% 0px 0px)');
  for (const [way, color] of [
    ['A', GREEN],
    ['B', PINK],
    ['Difference', '255 255 0 255'],
  ] as const) {
    await show(page, way);
    await expect.poll(() => colorAt(page, 32, 24)).toBe(color);
    expect(await colorAt(page, 60, 4)).toBe(way === 'Difference' ? '0 0 0 255' : BLUE);
  }
  await figures(page).getByRole('button', { name: '16, 12' }).click();
  await expect(both(page)).toContainText('16, 12: A #00ff80 · B #ff0080 · differs by 255');
  await both(page).getByRole('button', { name: 'Whole' }).click();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await show(page, 'Slider');
  await both(page).getByRole('button', { name: 'Enlarge' }).click();
  const dialog = page.getByRole('dialog', { name: /^After call 75 and call 75/ });
  await dialog.getByRole('radio', { name: 'Blink', exact: true }).click();
  await expect(dialog.locator('.both-label')).toHaveText('A');
  await dialog.getByRole('button', { name: 'Flip' }).click();
  await expect(dialog.locator('.both-label')).toHaveText('B');
  await page.keyboard.press('Escape');
  // The comparison is the same with B in front.
  await bringB(page);
  await expect(both(page)).toBeVisible();
  await both(page).getByRole('button', { name: 'Stop comparing' }).click();
  await expect(picture(page).getByRole('button', { name: 'Compare with A', exact: true })).toBeVisible();
});

test('the first draw whose picture differs is found, and selected in both', { tag: '@webgl' }, async ({ page }) => {
  await pictures(page);
  await compare(page, 75);
  await both(page).getByRole('button', { name: 'First draw that differs' }).click();
  await expect(both(page)).toContainText('Draw 3 of 4 is the first whose picture differs.');
  await expect(picture(page)).toContainText('3 of 4 draws and clears');
  await expect(both(page).getByRole('button', { name: 'call 63' })).toHaveCount(2);
  await expect(page.locator('.pair-bar')).toContainText('Aligned at call 63 and call 63');
  await page.getByRole('tab', { name: 'Details' }).click();
  for (const key of ['A', 'B']) {
    if (key === 'B') await bringB(page);
    await expect(page.getByRole('complementary', { name: 'Details' })).toContainText('glEnd');
  }
});

test('a draw that one trace has more does not shift the search for the first one that differs', {
  tag: '@webgl',
}, async ({ page }) => {
  await pictures(page, BEFORE, readFileSync(fixture('more_draws.trace')));
  await compare(page, 75);
  await expect(both(page)).toContainText('Paired by the calls that both have.');
  await both(page).getByRole('button', { name: 'First draw that differs' }).click();
  await expect(both(page)).toContainText('Draw 3 of A, which is draw 4 of B, is the first whose picture differs.');
  await expect(both(page).getByRole('button', { name: 'call 63' })).toHaveCount(1);
  await expect(both(page).getByRole('button', { name: 'call 74' })).toHaveCount(1);
});

test('frames whose pictures are equal at their ends are said to be, and frames that one lacks', {
  tag: '@webgl',
}, async ({ page }) => {
  await pictures(page);
  await compare(page, 38);
  await expect(figures(page)).toHaveText('The pictures are equal.');
  await both(page).getByRole('button', { name: 'First draw that differs' }).click();
  await expect(both(page)).toContainText('The pictures at the end of the frame are equal.');
  await bringB(page);
  await typeGoTo(page, 88);
  await expect(both(page)).toContainText('A has no frame like frame 2.');
});

test('a picture of one trace is compared with those of other frames and draws', { tag: '@webgl' }, async ({ page }) => {
  await open(page, fixture('replay_views.trace'));
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  await picture(page).getByRole('button', { name: 'Compare with…' }).click({ timeout: 30_000 });
  await expect(both(page)).toContainText('Select another frame or draw to compare it with this picture.');
  await picture(page).getByRole('button', { name: 'Next frame' }).click();
  await expect(figures(page)).toHaveText(/^768 of 3,072 pixels differ \(25\.0\s%\), by 128 of 255 at most\./);
  await both(page).getByRole('button', { name: 'First draw that differs' }).click();
  await expect(both(page)).toContainText('Draw 3 of 4 is the first whose picture differs.');
  await expect(both(page)).toContainText('Kept call 26');
  await expect(both(page)).toContainText('Shown call 63');
});

test('draws that pictures lack are said of each side', { tag: '@webgl' }, async ({ page }) => {
  const unshown = readFileSync(fixture('replay_unshown.trace'));
  await pictures(page, unshown, Buffer.from(unshown));
  await picture(page).getByRole('button', { name: 'Compare with B', exact: true }).click();
  for (const side of ['A', 'B'])
    await expect(both(page).getByText(new RegExp(`^${side}: \\d+ of \\d+ draws and clears are missing`))).toBeVisible();
});

test('frames of both stand beside each other, paired by their calls or by number, and are chosen in both', {
  tag: '@webgl',
}, async ({ page }) => {
  await pictures(page);
  await showPanel(page, 'Frames');
  const panel = page.locator('.frames');
  await panel.getByRole('radio', { name: 'Of both' }).click();
  const rows = panel.getByRole('grid', { name: 'Frames of both' }).getByRole('row');
  await panel.getByRole('radio', { name: 'Number' }).click();
  await expect(panel).toContainText('3 frames in A, 4 in B, 1 only in B, 1 with other figures');
  await expect(rows).toHaveCount(5);
  await expect(rows.nth(3)).toContainText('calls −24, draws −2, vertices −8');
  await expect(rows.nth(4)).toContainText('only in B');
  await compare(page, 112);
  await expect(both(page)).toContainText('call 88');
  await expect(both(page)).toContainText('Paired by the numbers of frame and draw.');
  await panel.getByRole('radio', { name: 'Calls' }).click();
  await expect(panel).toContainText('3 frames in A, 4 in B, 1 only in B, none with other figures');
  await expect(rows.nth(3)).toContainText('only in B');
  // Small pictures: of equal frames, and of one whose colour has changed.
  await expect(rows.nth(1)).toContainText('same figures, same small picture');
  await expect(rows.nth(2)).toContainText('picture');
  await expect(rows.nth(4)).toContainText('same figures, same small picture');
  // The picture follows what frames are paired by.
  await expect(both(page)).toContainText('Paired by the calls that both have.');
  await expect(both(page)).toContainText('call 125');
  await rows.nth(2).click();
  await expect(rows.nth(2)).toHaveAttribute('aria-selected', 'true');
  await expect(picture(page)).toContainText('Frame 1 of 0–2');
  await page.keyboard.press('ArrowDown');
  await expect(rows.nth(3)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(figures(page)).toHaveText('The pictures are equal.');
  // It stays as it is when B comes to the front.
  await bringB(page);
  await expect(picture(page)).toContainText('Frame 3 of 0–3');
  await expect(rows.nth(4)).toHaveAttribute('aria-selected', 'true');
});
