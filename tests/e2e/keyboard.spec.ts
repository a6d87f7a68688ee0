import { expect, type Page } from '@playwright/test';
import { area, details, fixture, notice, open, pictured, test } from './page.ts';

const heading = (page: Page) => details(page).getByRole('heading').first();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.className ?? '');

test('the timeline has the focus after a file is opened', async ({ page }) => {
  await page.getByRole('button', { name: 'Open a trace' }).focus();
  await open(page, fixture('threads.xray'));
  await expect.poll(() => focused(page)).toBe('area');
  await open(page, fixture('events.xray'));
  await expect.poll(() => focused(page)).toBe('area');
});

test('up and down change the row, then the track, and lead back', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const place = () => page.locator('.details-where').textContent();
  const said = () => page.locator('#announcer').textContent();
  await page.keyboard.press('ArrowDown');
  await expect(details(page)).toContainText('Duration');
  const first = await said();
  const track = await place();
  const seen = [first];
  for (let i = 0; i < 12; i += 1) {
    await page.keyboard.press('ArrowDown');
    await expect.poll(said).not.toBe(seen.at(-1));
    seen.push(await said());
  }
  // Twelve rows down is another thread.
  await expect.poll(place).not.toBe(track);
  for (const expected of seen.slice(0, -1).reverse()) {
    await page.keyboard.press('ArrowUp');
    await expect.poll(said).toBe(expected);
  }
});

test('the values of the details are one tab stop', async ({ page }) => {
  await open(page, fixture('apitrace/values.trace'));
  await pictured(page);
  await page.keyboard.press('Enter');
  await expect(details(page)).toContainText('Call');
  const stops = () =>
    page
      .locator('.details .fields')
      .first()
      .evaluate(
        (list) =>
          [...list.querySelectorAll('button, [role="button"]')].filter((it) => (it as HTMLElement).tabIndex === 0)
            .length,
      );
  await expect.poll(stops).toBe(1);
  const values = page.locator('.details .fields').first().locator('[role="button"]');
  await values.first().focus();
  await page.keyboard.press('ArrowDown');
  await expect(values.first()).not.toBeFocused();
  expect(await focused(page)).not.toBe('area');
  await expect.poll(stops).toBe(1);
  await page.keyboard.press('Home');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.closest('.fields') !== null)).toBe(false);
});

test('the file input is hidden, and the button opens it', async ({ page }) => {
  await expect(page.locator('#file-input')).toBeHidden();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Open a trace' }).click();
  await (await chooser).setFiles(fixture('threads.xray'));
  await pictured(page);
  await expect(page.getByRole('img', { name: /^Overview of the whole trace/ })).toBeVisible();
  for (const canvas of await page.locator('canvas').all()) {
    const named = await canvas.evaluate((it) => it.closest('[aria-label]') !== null);
    expect(named).toBe(true);
  }
});

test('help opens at its top on a small screen, and leads to each of its parts', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 500 });
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading', { name: 'Help', exact: true })).toBeInViewport();
  await expect(dialog.getByRole('heading', { name: 'Questions', exact: true })).toBeInViewport();
  expect(await dialog.locator('.help-body').evaluate((it) => it.scrollTop)).toBe(0);
  for (const part of ['Keys', 'Words', 'Documentation']) {
    await dialog.getByRole('navigation').getByRole('button', { name: part }).click();
    await expect(dialog.getByRole('heading', { name: part, exact: true })).toBeInViewport();
  }
  await expect(dialog.getByRole('button', { name: 'Close' })).toBeInViewport();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
});

test.describe('going to a step', () => {
  const goTo = async (page: Page, position: string) => {
    await page.keyboard.press('g');
    await page.locator('#find-field').fill(position);
    await page.keyboard.press('Enter');
  };

  test('shows what the instruction read and wrote', async ({ page }) => {
    await open(page, fixture('frames/calls.frames'));
    await pictured(page);
    await goTo(page, '12');
    await expect(heading(page)).toHaveText('Step 12');
    await expect(details(page)).toContainText('mov eax, 1');
    await expect(details(page)).toContainText('RAX');
    await expect(page.locator('#announcer')).toContainText(/^step.12, .*on thread 1$/);
  });

  test('selects the point of a trace-db', async ({ page }) => {
    await open(page, fixture('trace_db/variables.trace'));
    await pictured(page);
    await goTo(page, '7');
    await expect(heading(page)).toContainText('statement');
    await expect(page.locator('#announcer')).toContainText(/at point.7,/);
  });

  test('selects the call on whatever thread it is', async ({ page }) => {
    await open(page, fixture('apitrace/scene.trace'));
    await pictured(page);
    await area(page).focus();
    for (const call of ['30', '31', '400']) {
      await goTo(page, call);
      await expect(details(page)).toContainText(new RegExp(`Call\\s*${call}\\D`));
    }
  });
});

/** Presses of a key that lead around the page. */
const MOST_STOPS = 60;

test.describe('questions are answered with the keyboard alone', () => {
  /** Opens a fixture, with nothing in focus. */
  const load = async (page: Page, path: string) => {
    await open(page, fixture(path));
    await pictured(page);
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  };
  /** Presses a key until what has the focus is called like this. */
  const tabTo = async (page: Page, name: RegExp, key = 'Tab') => {
    const focus = () =>
      page.evaluate(() => {
        const it = document.activeElement;
        if (it === document.body) return '';
        return it?.getAttribute('aria-label') ?? it?.textContent ?? '';
      });
    for (let i = 0; i < MOST_STOPS; i += 1) {
      if (name.test(await focus())) return;
      await page.keyboard.press(key);
    }
    throw new Error(`${key} leads to nothing that is called ${name}`);
  };
  /** Asks a question that help has. */
  const ask = async (page: Page, words: RegExp) => {
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Help' }).getByRole('button', { name: words })).toBeVisible();
    await tabTo(page, words);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'Help' })).toBeHidden();
  };
  /** Runs a command, or shows a panel, by its title. */
  const command = async (page: Page, title: string) => {
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox', { name: 'Search commands' })).toBeFocused();
    await page.keyboard.type(title);
    await expect(page.getByRole('option').first()).toContainText(title);
    await page.keyboard.press('Enter');
  };
  /** Looks for something, and selects the first. */
  const find = async (page: Page, text: string) => {
    await page.keyboard.press('Control+f');
    await expect(page.getByRole('combobox', { name: 'Search', exact: true })).toBeFocused();
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };
  const front = (page: Page, name: string) => page.getByRole('tablist', { name: 'Panels' }).getByRole('tab', { name });

  test('which frame is the heaviest', async ({ page }) => {
    await load(page, 'scene.trace');
    await ask(page, /^Which frame is the heaviest/);
    await expect(heading(page)).toHaveText('frame 4');
  });

  test('what is never deleted', async ({ page }) => {
    await load(page, 'scene.trace');
    await command(page, 'What is never deleted?');
    await expect(front(page, 'Resources')).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('grid', { name: 'Resources' }).or(notice(page)).first()).toBeVisible();
  });

  test('what is bound at a draw', async ({ page }) => {
    await load(page, 'scene.trace');
    await command(page, 'Show Frames');
    await expect(front(page, 'Frames')).toBeFocused();
    await expect(page.getByRole('grid', { name: 'Frames' })).toBeVisible();
    await page.keyboard.press('Tab');
    await tabTo(page, /^Frames$/);
    await expect(page.getByRole('grid', { name: 'Frames' })).toBeFocused();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    const inner = page.getByRole('grid', { name: 'Frames' }).locator('.frames-inner');
    await expect(inner.first()).toBeVisible();
    const draw = page.locator('.frames-inner[aria-selected=true]').filter({ hasText: /glDraw/ });
    for (let i = 0; i < MOST_STOPS && (await draw.count()) === 0; i += 1) {
      await page.keyboard.press('ArrowDown');
      // It may be a group.
      await page.keyboard.press('ArrowRight');
    }
    await command(page, 'Show State');
    await expect(page.getByRole('complementary', { name: 'State' })).toContainText(/glDraw.*call/);
    await expect(page.getByRole('region', { name: 'Program' })).toBeVisible();
  });

  test('which code ran', async ({ page }) => {
    await load(page, 'frames/calls.frames');
    await ask(page, /^Which code ran/);
    await expect(front(page, 'Coverage')).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('grid', { name: 'Blocks' })).toContainText('0x401060');
  });

  test('where an instruction is', async ({ page }) => {
    await load(page, 'frames/calls.frames');
    await find(page, 'push rbx');
    await expect(heading(page)).toHaveText('Step 10');
    await page.keyboard.press('Enter');
    await expect(heading(page)).not.toHaveText('Step 10');
  });

  test('which system call comes next', async ({ page }) => {
    await load(page, 'frames/calls.frames');
    await page.keyboard.press('Control+F8');
    await expect(details(page)).toContainText('syscall');
  });

  test('what a register holds, and where that comes from', async ({ page }) => {
    await load(page, 'frames/calls.frames');
    await page.keyboard.press('g');
    await page.keyboard.type('14');
    await page.keyboard.press('Enter');
    await expect(heading(page)).toHaveText('Step 14');
    await command(page, 'Show State');
    const state = page.getByRole('complementary', { name: 'State' });
    await expect(state).toContainText('RAX');
    await expect(page.getByRole('tab', { name: 'State' })).toBeFocused();
    await tabTo(page, /^▸RAX/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Where this value comes from$/, 'ArrowDown');
    await page.keyboard.press('Enter');
    await expect(state.getByRole('heading', { name: /^Where RAX comes from/ })).toBeVisible();
    await expect(state).toContainText('mov eax, 1');
  });

  test('when a condition first holds', async ({ page }) => {
    await load(page, 'trace_db/variables.trace');
    await find(page, 'i > 5');
    await expect(heading(page)).toContainText('statement');
    await expect(details(page)).toContainText(/i\s*int\s*6/);
  });

  test('what always holds at a statement', async ({ page }) => {
    await load(page, 'trace_db/variables.trace');
    await ask(page, /^What holds each time/);
    await expect(page.getByRole('radio', { name: 'Invariants' })).toBeChecked();
    await expect(page.getByRole('grid', { name: 'Invariants' })).toBeVisible();
  });

  test('why the longest call is slow', async ({ page }) => {
    await load(page, 'threads.xray');
    await ask(page, /^Why is the longest call/);
    await expect(page.getByRole('table', { name: 'A slow call beside a median one' })).toContainText('Duration');
  });

  test('on which call paths the time is spent', async ({ page }) => {
    await load(page, 'threads.xray');
    await ask(page, /^On which call paths/);
    await expect(page.getByRole('radio', { name: 'Stacks' })).toBeChecked();
    await expect(page.locator('.stacks')).toContainText('#8');
  });
});
