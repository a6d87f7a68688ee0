import { basename } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { details, fixture, open, recorded, recording, showCalls, stay, test, typeGoTo } from './page.ts';

const table = (page: Page) => page.getByRole('grid', { name: 'Frames' });
/** The first cell of the first row. */
const firstFrame = (page: Page) => table(page).locator('tbody tr:not(.spacer) td').first();

const glmark2 = recorded('apitrace').find((path) => basename(path) === 'glmark2_medium.trace');

test('lists the frames of a trace first, by any figure', async ({ page }) => {
  await open(page, fixture('scene.trace'));
  await expect(page.getByRole('tab').first()).toHaveText('Frames');
  await expect(table(page).locator('tbody tr:not(.spacer)')).toHaveCount(13);
  await table(page).getByRole('button', { name: 'Draws' }).click();
  await expect(table(page).getByRole('columnheader', { name: /Draws/ })).toHaveAttribute('aria-sort', 'descending');
  const frame = await firstFrame(page).textContent();
  await firstFrame(page).click();
  await expect(details(page)).toContainText(`frame ${frame}`);
  await table(page).focus();
  await page.keyboard.press('ArrowDown');
  await expect(details(page)).not.toContainText(`frame ${frame}`);
});

test('a frame says how it differs from the one before it', async ({ page }) => {
  await open(page, fixture('scene.trace'));
  await table(page).locator('#frame-1 td').first().click();
  const change = details(page).getByRole('definition').filter({ hasText: 'from' });
  await expect(change).toContainText('+1 draws');
  await change.getByRole('button', { name: 'frame 0' }).click();
  await expect(details(page)).toContainText('frame 0');
  await expect(change).toHaveCount(0);
});

test('opens a frame in place, down to a call', { tag: '@focus' }, async ({ page }) => {
  await open(page, fixture('scene.trace'));
  const rows = table(page).locator('tbody tr:not(.spacer)');
  await rows.first().click();
  await table(page).focus();
  await page.keyboard.press('ArrowRight');
  const inner = table(page).locator('.frames-inner');
  await expect(inner.first()).toBeVisible();
  const call = inner.filter({ has: page.locator('.frames-call') }).first();
  const number = await call.locator('.frames-call').textContent();
  await call.click();
  await expect(details(page)).toContainText(number!);
  await page.getByRole('button', { name: 'Fold frame 0' }).click();
  await expect(inner).toHaveCount(0);
});

test('a frame lists its draws, with the calls between them folded', async ({ page }) => {
  await open(page, recording('apitrace/recorded/glmark2_medium.trace'));
  await table(page).locator('#frame-1 td').first().click();
  await table(page).focus();
  await page.keyboard.press('ArrowRight');
  const inner = table(page).locator('.frames-inner');
  const folded = table(page).locator('tr[id$="-fold"]');
  await expect(folded.first()).toContainText(/^\d+\scalls/);
  const count = await inner.count();
  await folded.first().click();
  await expect.poll(() => inner.count()).toBeGreaterThan(count);
  await folded.first().click();
  await expect(inner).toHaveCount(count);
  await page.getByRole('radio', { name: 'All calls' }).click();
  await expect(folded).toHaveCount(0);
  await expect.poll(() => inner.count()).toBeGreaterThan(count);
});

test('the tree of frames opens at a call that is selected elsewhere', async ({ page }) => {
  await open(page, fixture('scene.trace'));
  await expect(table(page)).toBeVisible();
  const row = table(page).locator('tr[aria-selected="true"]');
  for (const call of [300, 52, 301]) {
    await typeGoTo(page, call);
    await expect(row.locator('.frames-call')).toHaveText(String(call));
  }
  // What was opened for an earlier selection is folded again.
  await expect(table(page).getByRole('button', { name: /^Fold frame/ })).toHaveCount(1);
});

test('a link that leads nowhere yet does not look like one', { tag: '@layout' }, async ({ page }) => {
  await open(page, fixture('scene.trace'));
  const link = page.getByRole('button', { name: 'Its textures' });
  await expect(link).toBeDisabled();
  const before = await link.evaluate((it) => getComputedStyle(it).color);
  await typeGoTo(page, 52);
  await expect(link).toBeEnabled();
  expect(await link.evaluate((it) => getComputedStyle(it).color)).not.toBe(before);
});

test('the row of a call that is selected elsewhere is in sight', { tag: '@layout' }, async ({ page }) => {
  await open(page, fixture('scene.trace'));
  await expect(table(page)).toBeVisible();
  const row = table(page).locator('tr[aria-selected="true"]');
  for (const call of [300, 52, 301]) {
    await typeGoTo(page, call);
    await expect(row.locator('.frames-call')).toHaveText(String(call));
    await expect(row).toBeInViewport();
  }
});

test('the figure of redundant calls leads to them', async ({ page }) => {
  await open(page, recording('apitrace/recorded/glmark2_medium.trace'));
  await table(page).locator('#frame-1 td').first().click();
  await expect(details(page)).toContainText('frame 1');
  const figure = table(page).getByTitle('List the redundant calls of frame 1', { exact: true });
  await figure.click();
  await expect(page.getByRole('radio', { name: 'Redundant' })).toBeChecked();
  await expect(table(page).locator('.frames-inner')).toHaveCount(Number(await figure.textContent()));
});

test('Back leads from redundant calls to where it was', { tag: '@network' }, async ({ page }) => {
  await open(page, recording('apitrace/recorded/glmark2_medium.trace'));
  const entry = () => page.evaluate(() => history.state?.entry as number | undefined);
  for (const frame of [0, 1]) {
    await table(page).locator(`#frame-${frame} td`).first().click();
    await expect(details(page)).toContainText(`frame ${frame}`);
    await expect.poll(entry).toBe(frame + 1);
    await stay(page);
  }
  await table(page).getByTitle('List the redundant calls of frame 1', { exact: true }).click();
  await expect(page.getByRole('radio', { name: 'Redundant' })).toBeChecked();
  await expect.poll(entry).toBe(3);
  await page.goBack();
  await page.goBack();
  await expect(details(page)).toContainText('frame 0');
});

test('what is never deleted is a filter of Resources', async ({ page }) => {
  await open(page, recording('apitrace/modern/gtk4_widgets.trace'));
  await page.getByRole('tab', { name: 'Resources' }).click();
  const leaked = page.getByRole('button', { name: /not deleted/ });
  const [count] = /[\d,]+/.exec((await leaked.textContent())!)!;
  await leaked.click();
  await expect(page.locator('.resources-list')).toContainText(new RegExp(`${count}\\sresources?`));
  // Columns stay when a row is selected.
  const rows = page.getByRole('grid', { name: 'Resources' });
  await rows.locator('tbody tr:not(.spacer)').first().click();
  await expect(rows.getByRole('columnheader', { name: 'Deleted' })).toBeVisible();
});

test('columns of resources keep their widths beside one that is selected', { tag: '@layout' }, async ({ page }) => {
  await open(page, recording('apitrace/modern/gtk4_widgets.trace'));
  await page.getByRole('tab', { name: 'Resources' }).click();
  const rows = page.getByRole('grid', { name: 'Resources' });
  await rows.locator('tbody tr:not(.spacer)').first().click();
  const widths = () =>
    rows.getByRole('columnheader').evaluateAll((all) => all.map((it) => (it as HTMLElement).offsetWidth));
  expect(Math.min(...(await widths()))).toBeGreaterThan(60);
});

test('keeps a figure as a track over the frames', async ({ page }) => {
  await open(page, fixture('scene.trace'));
  await table(page).getByRole('button', { name: 'Uploaded' }).click();
  await page.getByRole('button', { name: 'Keep as track' }).click();
  await expect(page.locator('.track.derived', { hasText: 'uploaded per frame' })).toBeVisible();
});

/** A profile of three calls of `scene.trace`. */
const profile = (cpu: string, gpu = '0 0', end = '') =>
  Buffer.from(
    '# call no gpu_start gpu_dura cpu_start cpu_dura vsize_start vsize_dura rss_start rss_dura pixels program name\n' +
      `call 2 0 0 9 ${cpu} 0 0 0 0 -1 0 glShaderSource\ncall 1 0 0 5 7000 0 0 0 0 -1 0 glCreateShader\n` +
      `call 3 ${gpu} 20 1284000 0 0 0 0 -1 0 glCompileShader\nframe_end\n${end}`,
  );

test('weighs the flame graph by the times of a replay', async ({ page }) => {
  await open(page, fixture('scene.trace'));
  await showCalls(page, 'Flame');
  const weight = page.getByRole('combobox', { name: 'Weight' });
  const graph = page.getByRole('application', { name: /^Flame graph/ });
  const node = page.locator('.flame .unseen[role="status"]');
  const reach = async () => {
    // What is drawn is the answer to what was chosen.
    await expect(graph).toHaveAttribute('aria-busy', 'false');
    await graph.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
  };
  await expect(graph).toBeVisible();
  await expect(weight).toHaveCount(0);
  const add = (buffer: Buffer) =>
    page.setInputFiles('#file-input', [{ name: 'scene.txt', mimeType: 'text/plain', buffer }]);
  await add(profile('2000'));
  // The replay measured no draws on the GPU.
  await expect(weight.getByRole('option')).toHaveText(['Number of calls', 'CPU time']);
  await weight.selectOption('CPU time');
  await expect(page.locator('.flame .panel-end')).toContainText('not measured');
  await reach();
  await expect(node).toContainText('glCompileShader, total 1.284 ms, 99.3 %');
  await page.getByRole('combobox', { name: 'Mode' }).selectOption('Inverted');
  await reach();
  await expect(node).toContainText('glCompileShader, self 1.284 ms');
  await page.getByRole('combobox', { name: 'Mode' }).selectOption('Left heavy');
  await reach();
  await expect(node).toContainText('glCompileShader, total 1.284 ms');
  await add(profile('5000000'));
  // The cursor stays on its function, which is no longer the heaviest.
  await expect(node).toContainText('glCompileShader, total 1.284 ms, 20.4 %');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowDown');
  await expect(node).toContainText('glShaderSource, total 5 ms');
  await weight.selectOption('Number of calls');
  await expect(page.locator('.flame .panel-end')).not.toContainText('not measured');
  await expect(node).not.toContainText('ms');
});

test('a time longer than the replay is marked, and is in no sum', async ({ page }) => {
  await open(page, fixture('scene.trace'));
  await page.getByRole('tab', { name: 'Frames' }).click();
  const end = 'Rendered 1 frames in 0.522503 secs, average of 2 fps\n';
  const buffer = profile('2000', '5 1376972964381', end);
  await page.setInputFiles('#file-input', [{ name: 'scene.txt', mimeType: 'text/plain', buffer }]);
  const bar = page.locator('.frames .panel-bar');
  await expect(bar).toContainText(
    'GPU time of 1 call left out as implausible: longer than the replay, which took 523 ms',
  );
  await page.getByRole('radio', { name: 'Slowest calls' }).click();
  const calls = page.getByRole('grid', { name: 'Slowest calls' }).locator('tbody tr:not(.spacer)');
  await expect(calls.filter({ hasText: 'glCompileShader' })).toContainText(/22.min 56.s, implausible/);
  await expect(bar).toContainText('left out as implausible');
});

test('goes from use to use of a resource', async ({ page }) => {
  await open(page, fixture('scene.trace'));
  await page.getByRole('tab', { name: 'Resources' }).click();
  const rows = page.getByRole('grid', { name: 'Resources' }).locator('tbody tr:not(.spacer)');
  await rows.filter({ hasText: 'Texture' }).first().click();
  const legend = page.getByRole('list', { name: 'Marks on the timeline' });
  await expect(legend).toHaveText(/bound, drawn with\s*36/);
  // Without a selection the last use is the previous one.
  await page.getByRole('button', { name: 'Previous use' }).click();
  await expect(details(page).getByRole('heading').first()).toHaveText(/^gl/);
  await expect(page.getByRole('button', { name: 'Next use' })).toBeDisabled();
  await page.getByRole('button', { name: 'Previous use' }).click();
  await expect(page.getByRole('button', { name: 'Next use' })).toBeEnabled();
  await page.getByRole('button', { name: 'Next use' }).click();
  await expect(page.getByRole('button', { name: 'Next use' })).toBeDisabled();
});

test('marks on the timeline what happens to a resource', { tag: '@pixels' }, async ({ page }) => {
  await open(page, fixture('scene.trace'));
  const marked = () =>
    page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.overview canvas')!;
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      // Blue of what is drawn with, in the dark or the light theme.
      const blues = ['76,194,255', '8,90,158'];
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (blues.includes(data.subarray(i, i + 3).join())) count += 1;
      return count;
    });
  await page.getByRole('tab', { name: 'Resources' }).click();
  const rows = page.getByRole('grid', { name: 'Resources' }).locator('tbody tr:not(.spacer)');
  await expect(rows.first()).toBeVisible();
  expect(await marked()).toBe(0);
  await rows.filter({ hasText: 'Texture' }).first().click();
  await expect.poll(marked).toBeGreaterThan(0);
  await page.getByRole('tab', { name: 'Calls' }).click();
  expect(await marked(), 'they stay while another panel is in front').toBeGreaterThan(0);
  await page.getByRole('tab', { name: 'Resources' }).click();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect.poll(marked).toBe(0);
});

test('shows the times of a replay, and what was not measured', async ({ page }) => {
  await open(page, fixture('scene.trace'));
  await expect(table(page)).toBeVisible();
  const buffer = profile('x');
  await page.setInputFiles('#file-input', [{ name: 'scene.txt', mimeType: 'text/plain', buffer }]);
  await expect(page.locator('.notice')).toContainText('Line 2 skipped: its cpu_dura is missing or not a number');
  const rows = table(page).locator('tbody tr:not(.spacer)');
  await expect(rows.first()).toContainText('1.291 ms');
  await expect(rows.nth(1)).toContainText('not measured');
  await page.getByRole('radio', { name: 'Slowest calls' }).click();
  const slowest = page.getByRole('grid', { name: 'Slowest calls' }).locator('tbody tr:not(.spacer)');
  await expect(slowest).toHaveText(['3glCompileShader1.284 ms', '1glCreateShader7 µs']);
  await slowest.first().click();
  await expect(details(page)).toContainText('CPU time1.284 ms');
  await expect(details(page)).toContainText('Context1 · 0x55d0c0de8000 since call 0');
  await page.locator('.frames').getByRole('button', { name: 'Keep as track' }).click();
  await expect(page.locator('.track', { hasText: 'CPU time of calls (ns)' })).toBeVisible();
});

test.describe('glmark2', () => {
  test.skip(!glmark2, 'the recorded traces are missing');

  test('says nothing of its heaviest frames until all are counted', { tag: '@layout' }, async ({ page }) => {
    // Whatever is there while frames are counted.
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      const look = () => {
        const isCounting = document.querySelector('.frames .building') !== null;
        const links = document.querySelector('.frames-heaviest')?.textContent ?? '';
        if (isCounting || links !== '') seen.push(`${isCounting ? 'counting' : 'counted'} ${links}`);
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await open(page, glmark2!);
    await expect(page.locator('.frames-heaviest')).toContainText('uploaded: frame 4,052 (2.51 MB)');
    const seen = await page.evaluate(() => [...new Set((window as unknown as { seen: string[] }).seen)]);
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe('counting ');
  });

  test('shows its heaviest frame in one gesture', async ({ page }) => {
    await open(page, glmark2!);
    await page.getByRole('button', { name: 'uploaded: frame 4,052' }).click();
    await expect(details(page)).toContainText('frame 4052');
    const row = table(page).locator('tr[aria-selected="true"]');
    await expect(row).toContainText('2.51 MB');
    await expect(row).toContainText('1,288');
  });

  test('leads to the textures and shaders of a frame', async ({ page }) => {
    const list = page.getByRole('grid', { name: 'Resources' });
    const rows = list.locator('tbody tr:not(.spacer)');
    await open(page, glmark2!);
    await page.getByRole('button', { name: 'uploaded: frame 4,052' }).click();
    await page.getByRole('button', { name: 'Its textures' }).click();
    await expect(rows).toHaveCount(8);
    await rows.filter({ hasText: '512 × 512' }).click();
    const image = page.getByRole('img', { name: 'Texture 5' });
    await expect(image).toBeVisible();
    await expect.poll(() => image.evaluate((it) => (it as HTMLCanvasElement).width)).toBe(512);
    await image.hover();
    await expect(page.locator('.texture-note')).toContainText(/R \d/);
    await page.getByRole('combobox', { name: 'Range' }).selectOption('By hand');
    await page.getByRole('spinbutton', { name: 'White' }).fill('0.5');
    await page.mouse.move(0, 0);
    await expect(page.locator('.texture-note')).toContainText('black 0, white 0.5');
    await page.getByRole('tab', { name: 'Frames' }).click();
    await page.getByRole('button', { name: 'Its shaders' }).click();
    await expect(image).toBeHidden();
    await rows.first().click();
    await expect(page.locator('.shader-box')).toContainText('attribute vec2 position');
  });

  test('reads a buffer as the draws do, or as the person says', async ({ page }) => {
    await open(page, glmark2!);
    await page.locator('#tab-resources').click();
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('buffer');
    await page.getByRole('grid', { name: 'Resources' }).locator('tbody tr:not(.spacer)').first().click();
    const contents = page.getByRole('table', { name: 'Contents' });
    await expect(contents.getByRole('columnheader')).toHaveText([
      '#',
      'Offset',
      'position.x',
      'position.y',
      'position.z',
    ]);
    await expect(contents.locator('tbody tr:not(.spacer)').nth(1)).toContainText('12−0.2028350.588430.0130083');
    const fields = page.getByRole('textbox', { name: 'Fields' });
    await fields.fill('ubyte2n a, short b');
    await expect(contents.getByRole('columnheader')).toHaveText(['#', 'Offset', 'a.x', 'a.y', 'b']);
    await fields.fill('floot');
    await expect(page.getByRole('alert')).toContainText('“floot” is not a field.');
    await page.getByRole('combobox', { name: 'Layout' }).selectOption({ index: 0 });
    await expect(fields).toHaveValue('float3 position');
  });
});

test('says why there are no frames and no resources', async ({ page }) => {
  await open(page, fixture('before_first_flush.trace'));
  for (const name of ['Frames', 'Resources']) {
    await page.getByRole('tab', { name }).click();
    await expect(page.getByRole('tabpanel', { name })).toHaveText(await page.locator('.nothing').innerText());
  }
  await expect(page.getByRole('grid', { name: 'Resources' })).toBeHidden();

  await open(page, fixture('values.trace'));
  await page.getByRole('tab', { name: 'Resources' }).click();
  await expect(page.getByText('No resources: no call of this trace creates')).toBeVisible();
});

test('frames, resources and findings are those of the range', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, fixture('scene.trace'));
  const rows = (of: string) => page.getByRole('grid', { name: of }).locator('tbody tr:not(.spacer)');
  await page.getByRole('button', { name: 'Findings', exact: true }).click();
  const kinds = page.getByRole('combobox', { name: 'Kind' });
  await expect(kinds).toContainText(/All kinds \(\d+\)/);
  const findings = await rows('Findings').count();
  await page.getByRole('tab', { name: 'Resources' }).click();
  await expect(rows('Resources').first()).toBeVisible();
  const resources = await rows('Resources').count();
  await page.getByRole('tab', { name: 'Frames' }).click();
  await table(page).locator('#frame-5 td').first().click();
  await expect(details(page)).toContainText('frame 5');
  await page.locator('.area').focus();
  await page.keyboard.press('r');
  await expect(page.locator('.frames .panel-bar')).toContainText(/^[12].frames?, 5/);
  await page.getByRole('tab', { name: 'Resources' }).click();
  await expect.poll(() => rows('Resources').count()).toBeLessThan(resources);
  await expect(page.locator('.dock-bar')).toContainText('In the range');
  await page.getByRole('tab', { name: 'Findings' }).click();
  await expect.poll(() => rows('Findings').count()).toBeLessThanOrEqual(findings);
  await page.getByRole('tab', { name: 'Frames' }).click();
  await page.getByRole('button', { name: 'Show whole trace' }).click();
  await expect(rows('Frames')).toHaveCount(13);
});

/** Goes from a call of glBindTexture to the texture that it names. */
async function toTexture(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, fixture('scene.trace'));
  await page.getByRole('tab', { name: 'Calls', exact: true }).click();
  await page.getByRole('combobox', { name: 'Filter calls' }).fill('name:glBindTexture');
  await expect(page.locator('#event-0')).toContainText('glBindTexture');
  await page.locator('#event-0').click();
  await expect(details(page).getByRole('heading').first()).toHaveText('glBindTexture');
  await stay(page);
  const link = details(page).locator('.field-link[title="Show it in Resources"]');
  const name = await link.textContent();
  await link.click();
  await expect(page.getByRole('tab', { name: 'Resources' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.resources tr[aria-selected="true"]')).toContainText(`Texture ${name}`);
}

test('what a call names leads to Resources', async ({ page }) => {
  await toTexture(page);
});

test('Back leads from Resources to the call', { tag: '@network' }, async ({ page }) => {
  await toTexture(page);
  await page.goBack();
  await expect(page.getByRole('tab', { name: 'Calls', exact: true })).toHaveAttribute('aria-selected', 'true');
});
