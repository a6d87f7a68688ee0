import { readFileSync } from 'node:fs';
import { expect, type Locator, type Page } from '@playwright/test';
import { choose, chosen, details, fixture, open, pictured, runCommand, settled, showCalls, test } from './page.ts';

async function boxOf(locator: Locator) {
  return (await locator.boundingBox())!;
}

/** Text colour, background and borders of an element. */
function looksOf(locator: Locator) {
  return locator.evaluate((element) => {
    const { backgroundColor, borderBottomColor, color } = getComputedStyle(element);
    return { backgroundColor, borderBottomColor, color };
  });
}

test('overview and timeline share their left edge and their scale', { tag: '@layout' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const strip = await boxOf(page.locator('.overview-strip'));
  const area = await boxOf(page.locator('.area'));
  expect([strip.x, strip.width]).toEqual([area.x, area.width]);
  // A window on the middle half of one is the middle half of the other.
  const [from, to] = [strip.x + strip.width / 4, strip.x + (strip.width * 3) / 4];
  await page.mouse.move(from, strip.y + 20);
  await page.mouse.down();
  await page.mouse.move(to, strip.y + 20, { steps: 4 });
  await page.mouse.up();
  const brush = await boxOf(page.locator('.brush'));
  expect(Math.abs(brush.x - from)).toBeLessThan(2);
  expect(Math.abs(brush.width - strip.width / 2)).toBeLessThan(4);
});

test('labels of the ruler are whole, and that of the pointer is beside that of the range', { tag: '@layout' }, async ({
  page,
}) => {
  await open(page, fixture('rvn/blocks.sqlite'));
  await pictured(page);
  const area = await boxOf(page.locator('.area'));
  const scale = await boxOf(page.locator('.ruler-scale'));
  for (let step = 0; step < 4; step += 1) {
    await page.keyboard.press('w');
    await page.keyboard.press('d');
    // While the view glides, too.
    const labels = await page
      .locator('.ruler-mark')
      .evaluateAll((marks) =>
        marks
          .filter((mark) => mark.textContent !== '')
          .map((mark) => [mark.getBoundingClientRect().left, mark.getBoundingClientRect().right] as const),
      );
    expect(labels.length).toBeGreaterThan(0);
    for (const [left, right] of labels) {
      expect(left).toBeGreaterThan(scale.x - 2);
      expect(right).toBeLessThanOrEqual(scale.x + scale.width + 1);
    }
  }
  await page.keyboard.press('0');
  await expect(page.locator('.brush')).toHaveCSS('left', '0px');
  await page.keyboard.press('r');
  await expect(page.locator('.range-length')).toBeVisible();
  // The trace begins and ends near the edges.
  for (let x = 12; x < area.width - 12; x += area.width / 9) {
    await page.mouse.move(area.x + x, area.y + 40);
    const pointer = await boxOf(page.locator('.pointer-time'));
    const range = await boxOf(page.locator('.range-length'));
    const apart = pointer.x >= range.x + range.width - 1 || pointer.x + pointer.width <= range.x + 1;
    expect(apart, `at ${x}`).toBe(true);
  }
});

test('the table of functions fits into a narrow dock, with the column that it is sorted by', {
  tag: '@layout',
}, async ({ page }) => {
  await page.setViewportSize({ width: 1180, height: 800 });
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await showCalls(page, 'Functions');
  const head = (name: string) => page.getByRole('columnheader', { name });
  const beyond = () => page.locator('.functions .table').evaluate((it) => it.scrollWidth - it.clientWidth);
  await expect(head('Max')).toBeInViewport();
  expect(await beyond()).toBe(0);
  await expect(head('p90')).toBeHidden();
  await page.setViewportSize({ width: 1440, height: 800 });
  await head('p90').getByRole('button').click();
  await page.setViewportSize({ width: 1180, height: 800 });
  await expect(head('p90')).toBeVisible();
});

/** CSS pixels between the last track and the dock. */
async function leftBelowTracks(page: Page): Promise<number> {
  const last = await boxOf(page.locator('.track').last());
  return (await boxOf(page.locator('.dock'))).y - last.y - last.height;
}

test('a table gets the room that a few tracks leave', { tag: '@layout' }, async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const name of ['scene.trace', 'trace_db/variables.trace']) {
    await open(page, fixture(name));
    await pictured(page);
    const tracks = await page.locator('.track').count();
    if (name === 'scene.trace') await expect.poll(() => leftBelowTracks(page)).toBeLessThan(40);
    // More tracks than there is room for leave the table its share.
    else expect(tracks).toBeGreaterThan(4);
    expect((await boxOf(page.locator('.dock'))).height).toBeGreaterThanOrEqual(200);
  }
});

test('a height that was chosen for the panels is kept until a double click gives it back', { tag: '@layout' }, async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, fixture('scene.trace'));
  await pictured(page);
  const height = async () => (await boxOf(page.locator('.dock'))).height;
  await expect.poll(() => leftBelowTracks(page)).toBeLessThan(40);
  const needed = await height();
  const divider = page.getByRole('separator', { name: 'Height of the panels' });
  await divider.focus();
  for (let i = 0; i < 4; i += 1) await page.keyboard.press('ArrowDown');
  await expect.poll(height).toBe(needed - 96);
  await page.reload();
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await expect.poll(height).toBe(needed - 96);
  await page.reload();
  await open(page, fixture('scene.trace'));
  await pictured(page);
  await divider.dblclick();
  await expect.poll(height).toBe(needed);
});

test('deep threads leave room for each other, and one that is opened stays so', { tag: '@layout' }, async ({
  page,
}) => {
  await page.setViewportSize({ width: 1180, height: 480 });
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const thread = page.locator('.track', { hasText: 'thread 4712' });
  const height = async () => (await boxOf(thread)).height;
  const deeper = page.getByRole('button', { name: '+6 deeper rows of thread 4712' });
  await expect(deeper).toBeVisible();
  const low = await height();
  await deeper.click();
  await expect(page.getByRole('button', { name: 'Fewer rows of thread 4712' })).toBeVisible();
  expect(await height()).toBeGreaterThan(low + 60);
  await page.reload();
  await open(page, fixture('threads.xray'));
  await pictured(page);
  const fewer = page.getByRole('button', { name: 'Fewer rows of thread 4712' });
  await expect(fewer).toBeVisible();
  await fewer.click();
  await expect(deeper).toBeVisible();
});

test('the timeline keeps half of a small window', { tag: '@layout' }, async ({ page }) => {
  for (const [width, height] of [
    [800, 600],
    [1280, 720],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => localStorage.clear());
    await page.goto('./');
    await open(page, fixture('threads.xray'));
    await pictured(page);
    await page.getByRole('tab', { name: 'Records' }).click();
    await page.locator('#event-3').click();
    const top = await boxOf(page.locator('.overview'));
    const scroller = await boxOf(page.locator('.scroller'));
    expect(scroller.y + scroller.height - top.y, `${width} × ${height}`).toBeGreaterThanOrEqual(height / 2 - 1);
    const dock = await boxOf(page.locator('.dock'));
    const side = await boxOf(details(page));
    for (const box of [dock, side]) {
      expect(box.height).toBeGreaterThan(60);
      expect(box.y + box.height).toBeLessThanOrEqual(height + 1);
      expect(box.x + box.width).toBeLessThanOrEqual(width + 1);
    }
  }
});

for (const [path, tabs] of [
  ['threads.xray', ['Records', 'Functions']],
  ['scene.trace', ['Calls', 'Functions']],
  ['frames/calls.frames', ['Steps', 'Coverage']],
  ['rvn/blocks.sqlite', ['Steps']],
  ['trace_db/variables.trace', ['Statements', 'Variables', 'Points']],
] as const) {
  test(`bars say all, and tables show all columns, of ${path} in a window of 1180 pixels`, { tag: '@layout' }, async ({
    page,
  }) => {
    await page.setViewportSize({ width: 1180, height: 760 });
    await open(page, fixture(path));
    await pictured(page);
    for (const tab of tabs) {
      await page.locator('.dock').getByRole('tab', { name: tab, exact: true }).click();
      const table = page.locator('.dock-panel .table');
      if (tab === 'Functions') {
        await page.getByRole('radio', { name: 'Graph' }).click();
        await page.getByRole('radio', { name: 'Table' }).click();
      }
      await expect(table.locator('tbody tr:not(.spacer)').first()).toBeVisible();
      // Columns are fitted to their rows once these are there.
      await expect
        .poll(() => table.evaluate((it) => it.scrollWidth - it.clientWidth), { message: tab })
        .toBeLessThanOrEqual(0);
      const cut = await page
        .locator('.dock-panel .panel-bar > span')
        .evaluateAll((spans) => spans.filter((it) => it.scrollWidth > it.clientWidth + 1).map((it) => it.textContent));
      expect(cut, tab).toEqual([]);
    }
  });
}

test('a notice covers nothing', { tag: '@layout' }, async ({ page }) => {
  for (const width of [390, 1180]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto('./');
    // One of the two is not opened, and the notice about it stays.
    await page.setInputFiles('#file-input', [fixture('threads.xray'), fixture('frames/calls.frames')]);
    await settled(page, 'ready', 'threads.xray');
    await pictured(page);
    const { y, height } = await boxOf(page.locator('.notice p'));
    const work = await boxOf(page.locator('.work'));
    expect(work.y + work.height).toBeLessThanOrEqual(y + 1);
    expect(y + height).toBeLessThanOrEqual(801);
  }
});

test('the list of problems is in the window wherever its button is', { tag: '@layout' }, async ({ page }) => {
  for (const width of [390, 920, 1180]) {
    await page.setViewportSize({ width, height: 760 });
    // Long facts put the button at the other end of the header.
    const name = `${width}-${'long-'.repeat(8)}.xray`;
    const cut = readFileSync(fixture('threads.xray'));
    await choose(page, chosen(name, cut.subarray(0, cut.length - 5)));
    await settled(page, 'ready', `${width}-`);
    await page.locator('.problems > button').click();
    const list = await boxOf(page.getByRole('dialog', { name: 'Problems in the file' }));
    expect(list.x, `${width}`).toBeGreaterThanOrEqual(0);
    expect(list.x + list.width, `${width}`).toBeLessThanOrEqual(width);
    await page.keyboard.press('Escape');
  }
});

test('keys that walk through instructions are listed where there are some', { tag: '@layout' }, async ({ page }) => {
  await settled(page, 'empty');
  const walking = page.getByRole('dialog').getByRole('heading', { name: 'Walk through instructions' });
  await page.keyboard.press('?');
  await expect(walking).toBeVisible();
  await page.keyboard.press('Escape');
  await open(page, fixture('threads.xray'));
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog').getByRole('heading', { name: 'Move' })).toBeVisible();
  await expect(walking).toHaveCount(0);
  await page.keyboard.press('Escape');
  await open(page, fixture('frames/calls.frames'));
  await page.keyboard.press('?');
  await expect(walking).toBeVisible();
});

test('the field of the search has its place and width, whatever stands beside it', { tag: '@layout' }, async ({
  page,
}) => {
  const place = async () => {
    const { x, width } = await boxOf(page.locator('.search-place'));
    return [x, width];
  };
  for (const width of [1440, 1180, 1000, 700]) {
    await page.setViewportSize({ width, height: 800 });
    const places: number[][] = [];
    for (const name of ['scene.trace', 'threads.xray', 'frames/calls.frames', 'trace_db/overrun.trace']) {
      await open(page, fixture(name));
      places.push(await place());
      const findings = page.getByRole('button', { name: 'Findings', exact: true });
      if (await findings.isVisible()) {
        await findings.click();
        await expect(page.getByRole('button', { name: /^\d+ findings?$/ })).toBeVisible();
        places.push(await place());
      }
      // Nothing beside it reaches into it.
      const [x, wide] = places.at(-1)!;
      const end = await boxOf(page.locator('.header-end > *').first());
      expect(end.x, `${name} at ${width}`).toBeGreaterThanOrEqual(x! + wide!);
    }
    expect(new Set(places.map(String)).size, `${width}`).toBe(1);
  }
});

test('tabs are the same while a trace is read and afterwards', { tag: '@layout' }, async ({ page }) => {
  for (const name of [
    'scene.trace',
    'threads.xray',
    'frames/calls.frames',
    'trace_db/overrun.trace',
    'rvn/blocks.sqlite',
  ]) {
    await page.evaluate(() => {
      const seen: string[] = [];
      const note = () => {
        const tabs = [...document.querySelectorAll('.dock [role="tab"]')].map((tab) => tab.textContent).join(' ');
        if (tabs !== '' && seen.at(-1) !== tabs) seen.push(tabs);
      };
      const observer = new MutationObserver(note);
      observer.observe(document.body, { childList: true, subtree: true, characterData: true });
      Object.assign(window, {
        tabsSeen: () => {
          observer.disconnect();
          return seen;
        },
      });
    });
    await open(page, fixture(name));
    await pictured(page);
    await expect(page.getByRole('tablist', { name: 'Panels' }).getByRole('tab').first()).toBeVisible();
    const seen = await page.evaluate(() => (window as unknown as { tabsSeen(): string[] }).tabsSeen());
    // Those of the trace before are still there at first.
    const own = seen.slice(-1)[0]!;
    expect(seen.filter((tabs) => tabs === own).length, name).toBe(1);
    expect(seen.length, `${name}: ${seen}`).toBeLessThanOrEqual(2);
  }
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('nothing speaks of dropping files or of keys', { tag: '@layout' }, async ({ page }) => {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Open a trace file');
    await expect(page.locator('.welcome')).not.toContainText(/[Dd]rop|Ctrl/);
  });

  test('the buttons of the header are within reach', { tag: '@layout' }, async ({ page }) => {
    for (const name of ['rvn/blocks.sqlite', 'trace_db/cut.trace']) {
      await open(page, fixture(name));
      for (const button of await page.locator('.header button:visible').all()) {
        const { x, width } = await boxOf(button);
        expect(x + width, await button.innerText()).toBeLessThanOrEqual(390);
      }
    }
  });

  test('timeline, panels and details have the window one at a time', { tag: '@layout' }, async ({ page }) => {
    await open(page, fixture('threads.xray'));
    await pictured(page);
    const part = (name: string) => page.getByRole('navigation', { name: 'Parts of the page' }).getByText(name);
    const whole = await boxOf(page.locator('.scroller'));
    expect(whole.height).toBeGreaterThan(600);
    await expect(details(page).or(page.getByRole('complementary'))).toBeHidden();
    await part('Panels').click();
    expect((await boxOf(page.locator('.dock'))).height).toBeGreaterThan(700);
    await page.getByRole('tab', { name: 'Records' }).click();
    await page.locator('#event-3').click();
    await part('Details').click();
    await expect(page.locator('.dock')).toBeHidden();
    expect((await boxOf(details(page))).height).toBeGreaterThan(700);
    // What shows an answer comes to the front.
    await runCommand(page, 'Show Functions');
    await expect(page.locator('.dock')).toBeVisible();
    await part('Timeline').click();
    expect(await boxOf(page.locator('.scroller'))).toEqual(whole);
    await page.getByRole('button', { name: 'Help' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
  });

  test('panels without a tab, and what completes a filter, are within reach', { tag: '@layout' }, async ({ page }) => {
    await open(page, fixture('scene.trace'));
    await pictured(page);
    const isOnTop = (locator: Locator) =>
      locator.evaluate((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
      });
    // With it there are more panels than tabs.
    await page.getByRole('button', { name: 'Findings', exact: true }).click();
    await page.getByRole('button', { name: 'More' }).click();
    expect(await isOnTop(page.getByRole('menuitem', { name: 'SQL' }))).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Calls', exact: true }).click();
    await page.getByRole('combobox', { name: 'Filter calls' }).fill('na');
    expect(await isOnTop(page.getByRole('listbox', { name: 'Completions' }).getByRole('option').first())).toBe(true);
  });

  test('names of threads are whole, and all columns can be reached', { tag: '@layout' }, async ({ page }) => {
    await open(page, fixture('threads.xray'));
    await pictured(page);
    for (const name of await page.locator('.track.thread b').all()) {
      const [inner, outer] = await name.evaluate((it) => [it.scrollWidth, it.clientWidth]);
      expect(inner).toBeLessThanOrEqual(outer!);
    }
    await page.getByRole('button', { name: 'Panels' }).click();
    await page.getByRole('tab', { name: 'Records' }).click();
    const table = page.locator('.table');
    await expect(table.locator('#event-0')).not.toHaveText('');
    await table.evaluate((it) => it.scrollTo({ left: it.scrollWidth }));
    await expect(table.getByRole('columnheader').last()).toBeInViewport();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});

test('forced colours keep bars, the current tab and the selected row', { tag: '@layout' }, async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  // Bars give way to names where there is little room.
  await page.setViewportSize({ width: 1900, height: 900 });
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await showCalls(page, 'Functions');
  const rows = page.locator('.table tbody tr:not(.spacer)');
  await rows.nth(1).click();
  const panel = await looksOf(page.locator('.dock'));
  expect((await looksOf(page.locator('.bar > span').first())).backgroundColor).not.toBe(panel.backgroundColor);
  const [front, other] = [
    await looksOf(page.getByRole('tab', { selected: true })),
    await looksOf(page.getByRole('tab', { selected: false }).first()),
  ];
  expect(front.borderBottomColor).not.toBe(other.borderBottomColor);
  const cell = (row: number) => looksOf(rows.nth(row).locator('td').nth(1));
  expect((await cell(1)).backgroundColor).not.toBe((await cell(2)).backgroundColor);
});

test('a selected row looks selected under the pointer, too', { tag: '@layout' }, async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await showCalls(page, 'Functions');
  const row = (i: number) => page.locator('.table tbody tr:not(.spacer)').nth(i);
  await row(1).click();
  const selected = (await looksOf(row(1))).backgroundColor;
  await row(2).hover();
  expect((await looksOf(row(2))).backgroundColor).not.toBe(selected);
  expect((await looksOf(row(1))).backgroundColor).toBe(selected);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`what is muted, and what leads elsewhere, can be read in a selected row of a ${colorScheme} page`, {
    tag: '@layout',
  }, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await open(page, fixture('trace_db/variables.trace'));
    await page.getByRole('tab', { name: 'Variables' }).click();
    const row = page.getByRole('grid', { name: 'Variables' }).locator('tbody tr:not(.spacer)').nth(1);
    await row.click();
    await expect(row).toHaveAttribute('aria-selected', 'true');
    expect(await row.locator('.muted').count()).toBeGreaterThan(0);
    expect(await row.locator('button.link').count()).toBeGreaterThan(0);
  });
}

test('the numbers of a table end where its headers end', { tag: '@layout' }, async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, fixture('threads.xray'));
  await showCalls(page, 'Functions');
  const ends = (selector: string) =>
    page.locator(selector).evaluateAll((cells) =>
      cells.map((cell) => {
        // Of the text, not of the cell around it.
        const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        const range = document.createRange();
        let right = 0;
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          range.selectNodeContents(node);
          right = Math.max(right, range.getBoundingClientRect().right);
        }
        return Math.round(right);
      }),
    );
  await expect(page.locator('.functions tbody tr:not(.spacer)').nth(1)).toBeVisible();
  const heads = (await ends('.functions th')).slice(1);
  const cells = (await ends('.functions tbody tr:not(.spacer):nth-of-type(2) td')).slice(1);
  expect(cells.length).toBe(heads.length);
  for (const [i, right] of cells.entries()) expect(Math.abs(right - heads[i]!)).toBeLessThanOrEqual(1);
});

test('a name of ten thousand characters is cut, and whole on demand', { tag: '@layout' }, async ({ page }) => {
  const name = 'n'.repeat(10_000);
  await open(page, fixture('threads.xray'));
  await pictured(page);
  await page.setInputFiles('#file-input', {
    name: 'names.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(Array.from({ length: 20 }, (_, id) => `${id},${name}${id}`).join('\n')),
  });
  await expect(page.getByRole('list', { name: 'Files that add to this trace' })).toContainText('names.csv');
  await showCalls(page, 'Functions');
  await expect(page.getByRole('grid')).toContainText('nnn…');
  await page.locator('.area').focus();
  await page.keyboard.press('Enter');
  const heading = details(page).getByRole('heading').first();
  await expect(heading).toContainText('nnn…');
  const longest = await page.evaluate(() =>
    Math.max(
      ...[...document.querySelectorAll('[title], h1, h2, .tooltip, #announcer')].map((it) =>
        Math.max(it.getAttribute('title')?.length ?? 0, it.textContent?.length ?? 0),
      ),
    ),
  );
  expect(longest).toBeLessThan(1300);
  await heading.getByRole('button', { name: /^Show all 10,00\d characters$/ }).click();
  await expect(heading).toContainText(name);
});
