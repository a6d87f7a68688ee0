import { expect, type Page } from '@playwright/test';
import { details, fixture, notice, open, pictured, settled, test } from './page.ts';

/** The button of *Start here* with a question. */
const question = (page: Page, words: RegExp) => page.locator('.start-here').getByRole('button', { name: words });
/** A tab of the dock. */
const tab = (page: Page, name: string | RegExp) => page.locator('.dock').getByRole('tab', { name });

/** Opens a fixture, and asks one of the questions that it raises. */
async function ask(page: Page, path: string, words: RegExp): Promise<void> {
  await open(page, fixture(path));
  await pictured(page);
  await question(page, words).click();
}

test('a log is asked why its longest call is slow, and answers with a median call beside it', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const why = question(page, /^Why is the longest call of /);
  await expect(why).toContainText('median');
  await why.click();
  await expect(page.locator('.compare')).toContainText('Duration');
  await expect(details(page)).toBeVisible();
  // Without a selection, the questions are there again.
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await expect(why).toBeVisible();
});

test('questions stay in reach beside a selection and behind other panels', async ({ page }) => {
  await open(page, fixture('scene.trace'));
  await pictured(page);
  const heaviest = question(page, /is the heaviest/);
  await expect(heaviest).toContainText(/frame \d+/);
  await tab(page, 'Calls').click();
  await page.locator('#event-3').click();
  await expect(details(page)).toContainText('glCompileShader');
  await expect(heaviest).toHaveCount(0);
  await page.getByRole('tab', { name: 'Start' }).click();
  // What was known stays, although its panel is no longer in front.
  await expect(heaviest).toContainText(/frame \d+/);
  await page.locator('#event-4').click();
  await expect(page.getByRole('tab', { name: 'Details' })).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await expect(page.getByRole('tab', { name: 'Start' })).toHaveCount(0);
  await open(page, fixture('threads.xray'));
  await expect(page.getByRole('tab', { name: 'Details' })).toHaveCount(0);
});

test('a new trace opens with a panel that has something of it', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await tab(page, 'SQL').click();
  await expect(tab(page, 'SQL')).toHaveAttribute('aria-selected', 'true');
  await open(page, fixture('events.xray'));
  await expect(tab(page, 'Functions')).toHaveAttribute('aria-selected', 'true');
  await tab(page, 'Records').click();
  await open(page, fixture('threads.xray'));
  await expect(tab(page, 'Records')).toHaveAttribute('aria-selected', 'true');
});

test('two traces are asked where they differ', async ({ page }) => {
  await open(page, fixture('frames/calls.frames'));
  await page.setInputFiles('#file-input', [fixture('frames/calls.frames'), fixture('frames/calls.frames')]);
  const differ = question(page, /^Where do A and B first differ/);
  await expect(differ).toBeVisible();
  await question(page, /^Which functions take longer in B/).click();
  const views = page.locator('.differences').getByRole('radiogroup', { name: 'View' });
  await expect(views.getByRole('radio', { name: 'Functions' })).toBeChecked();
  await differ.click();
  await expect(views.getByRole('radio', { name: 'Records' })).toBeChecked();
});

test('names and times are asked for where they are missing', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await expect(question(page, /^Add the program for names/)).toContainText('function numbers only');
  await open(page, fixture('frames/calls.frames'));
  await expect(question(page, /^Add the program for names/)).toContainText('ELF');
  await open(page, fixture('scene.trace'));
  const times = question(page, /^Add times of CPU and GPU/);
  await expect(times).toContainText('apitrace replay');
  const chooser = page.waitForEvent('filechooser');
  await times.click();
  await chooser;
});

test('frames are asked for the heaviest one, for what they draw and for what is wasted', async ({ page }) => {
  await open(page, fixture('scene.trace'));
  await pictured(page);
  await expect(question(page, /is the heaviest/)).toContainText(/frame \d+/);
  await question(page, /is the heaviest/).click();
  await expect(details(page)).toContainText('frame');
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await question(page, /^Which calls change nothing/).click();
  await expect(page.locator('.dock-panel')).toContainText(/Redundant state/);
  await question(page, /^Which draw painted a pixel/).click();
  await expect(page.getByRole('tab', { name: 'Picture' })).toHaveAttribute('aria-selected', 'true');
});

test('instructions are asked which code ran, for system calls, values and loops', async ({ page }) => {
  await ask(page, 'frames/calls.frames', /^Which code ran/);
  await expect(tab(page, 'Coverage')).toHaveAttribute('aria-selected', 'true');
  await question(page, /^Where are the loops/).click();
  await expect(tab(page, /Listing|Steps/)).toHaveAttribute('aria-selected', 'true');
  await question(page, /^Which system calls/).click();
  await expect(tab(page, /^(Results|Hits)/)).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.dock-panel')).toContainText('syscall');
  await question(page, /^Where does a value come from/).click();
  await expect(page.getByRole('tab', { name: 'State' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('complementary', { name: 'State' })).toContainText('RAX');
});

test('a system is asked for its interrupts and faults', async ({ page }) => {
  await ask(page, 'rvn/blocks.sqlite', /^Which exceptions, interrupts and faults/);
  await expect(tab(page, /^Hits/)).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('grid', { name: 'Hits' })).toContainText('page fault (14)');
});

test('a question without an answer says so', async ({ page }) => {
  await ask(page, 'frames/mips.frames', /^Which system calls/);
  await expect(notice(page)).toContainText('This trace has no system calls.');
});

test('values are asked for a condition, and for what always holds', async ({ page }) => {
  await ask(page, 'trace_db/variables.trace', /^When does a condition first hold/);
  await expect(details(page)).toContainText(/statement/i);
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await question(page, /^How do values change/).click();
  await expect(tab(page, 'Variables')).toHaveAttribute('aria-selected', 'true');
  await question(page, /^What holds each time/).click();
  await expect(page.getByRole('radio', { name: 'Invariants' })).toBeChecked();
});

test('help has the documentation in the page, loaded once it is read', { tag: '@network' }, async ({ page }) => {
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname.replace(/^.*\//, '')));
  await page.goto('./');
  await settled(page, 'empty');
  await page.waitForLoadState('networkidle');
  expect(loaded.filter((name) => /^(help|xray|words)-/.test(name))).toEqual([]);
  const breaches: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') breaches.push(message.text());
  });
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Help' });
  await help.getByRole('button', { name: 'an investigation', exact: true }).click();
  const document = page.getByRole('dialog', { name: 'Documentation' });
  await expect(document.getByRole('heading', { name: 'An investigation in an XRay log' })).toBeVisible();
  const picture = document.getByRole('img').first();
  await expect.poll(() => picture.evaluate((it: HTMLImageElement) => it.naturalWidth)).toBeGreaterThan(100);
  await document.getByRole('button', { name: 'Back to help' }).click();
  await expect(help.getByRole('heading', { name: 'Questions' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  expect(breaches).toEqual([]);
});
