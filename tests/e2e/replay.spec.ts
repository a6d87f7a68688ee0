import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { compare, FIXED, isAlike, pictured, SQUARES, squaresOf } from '../alike.mjs';
import { SWIFTSHADER } from './gpu.ts';
import { pictured as drawn, fixture, open, recording, test, typeGoTo } from './page.ts';
import { hashes } from './replay.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus');
/** The folders of pictures. */
const PICTURES = [join(CORPUS, 'apitrace', 'pictures'), join(CORPUS, 'programs', 'pictures')];
/** The kinds of pictures in them, with the least likeness of ours, in decibels. */
const PARTS = [
  { what: 'frames', part: '', least: 40 },
  { what: 'draws in the middle of frames', part: 'draws', least: 35 },
];

test.use({ launchOptions: SWIFTSHADER });
// The longest file, and one of the last: the other worker would have nothing to do.
test.describe.configure({ mode: 'parallel' });
test.setTimeout(180_000);

const PATHS: Readonly<Record<string, string>> = {
  glmark2_medium: 'apitrace/recorded',
  glmix_3f: 'apitrace/recorded',
  glxgears_3s: 'apitrace/recorded',
  glxgears_trim_21f: 'apitrace/recorded',
  glxsimple: 'apitrace/fetched',
  glthreads: 'apitrace/fetched',
  tri_glsl: 'apitrace/fetched',
  gtk4_widgets: 'apitrace/modern',
  'chromium-bsu': 'programs',
  kitty: 'programs',
  lugaru: 'programs',
  qtquick6: 'programs',
  supertux: 'programs',
};

/**
 * A picture of a first frame whose window was not there yet: the native replay shows nothing. Calls 93 to 156 are those from 173 to 236
 * but for an angle of 0 in place of 1 degree, and the native replay shows a cube after call 236. So that is what is to be seen.
 */
const WITHOUT_WINDOW: Readonly<Record<string, number>> = { 'glthreads.156': 236 };

/** Share of pixels that are alike although the cube is turned by a degree. */
const TURNED = 0.97;
/**
 * A picture of 160 × 120 in which the upper edge of a quad is a row lower than in the native replay: 0.8 % of the pixels that are not white.
 */
const LOWER_EDGE: Readonly<Record<string, number>> = { 'glmark2_medium.100754': 0.99 };

/** The pictures in a folder by trace: calls, ascending. */
function picturesOf(folder: string): Map<string, number[]> {
  const all = new Map<string, number[]>();
  if (!existsSync(folder)) return all;
  for (const name of readdirSync(folder).sort()) {
    const [, trace, call] = /^([\w-]+)\.(\d+)\.png$/.exec(name) ?? [];
    if (trace && call) all.set(trace, [...(all.get(trace) ?? []), Number(call)]);
  }
  return all;
}

for (const trace of Object.keys(PATHS)) {
  test(`pictures of ${trace} look as in a native replay`, { tag: '@webgl' }, async ({ page }) => {
    const wanted = PARTS.flatMap(({ part, least, what }) => {
      const folder = PICTURES.map((each) => join(each, part)).find((each) => picturesOf(each).has(trace));
      return folder
        ? picturesOf(folder)
            .get(trace)!
            .map((call) => ({ call, folder, least, what }))
        : [];
    });
    const path = join(CORPUS, PATHS[trace]!, `${trace}.trace`);
    test.skip(wanted.length === 0 || !existsSync(path), `the pictures of ${trace} are missing`);
    await open(page, path);
    const wrong: string[] = [];
    // In their order, so that one pass through the trace draws them all.
    for (const { call, folder, least, what } of wanted.sort((a, b) => a.call - b.call)) {
      const twin = WITHOUT_WINDOW[`${trace}.${call}`];
      const png = join(folder, `${trace}.${String(twin ?? call).padStart(10, '0')}.png`);
      const compared = await compare(await pictured(page, call), png);
      const { size, psnr, near, nearOfRest, failures, refusals, error, halted } = compared;
      const good = isAlike(compared, least, twin ? TURNED : undefined, LOWER_EDGE[`${trace}.${call}`]);
      const [all, rest] = [near, nearOfRest].map((share) => `${(share * 100).toFixed(2)} %`);
      const about = `${call} of ${what}: ${size}, ${psnr?.toFixed(1) ?? 'equal'} dB, ${all}, without the most frequent colour ${rest}`;
      if (!good || failures.length > 0 || refusals.length > 0 || error || halted)
        wrong.push(`${about} ${error} ${halted} ${JSON.stringify([...failures, ...refusals]).slice(0, 1500)}`);
    }
    expect(wrong).toEqual([]);
  });
}

test('parts of the fixed function look as in a native replay', { tag: '@webgl' }, async ({ page }) => {
  await open(page, fixture(FIXED.trace));
  const answer = await pictured(page, FIXED.call);
  expect(await answer.evaluate(squaresOf)).toEqual(SQUARES);
});

test('buffer textures are sampled, also after their buffers have changed', { tag: '@webgl' }, async ({ page }) => {
  await open(page, fixture('replay_texels.trace'));
  const columns = async (call: number) => {
    const answer = await pictured(page, call);
    return answer.evaluate(({ picture }) =>
      [8, 24, 40, 56].map((x) =>
        [...(picture?.pixels.slice(4 * (64 * 20 + x), 4 * (64 * 20 + x) + 3) ?? [])].join(' '),
      ),
    );
  };
  const swaps = [26, 29, 46] as const;
  const [red, green, blue, white] = ['255 0 0', '0 255 0', '0 0 255', '255 255 255'];
  expect(await columns(swaps[0])).toEqual([red, green, blue, white]);
  expect(await columns(swaps[1])).toEqual([red, green, '255 255 0', white]);
  expect(await columns(swaps[2])).toEqual([50, 100, 150, 200].map((grey) => `${grey} ${grey} ${grey}`));
  // A jump back, where the buffer is as it was.
  expect(await columns(swaps[0])).toEqual([red, green, blue, white]);
});

test('nothing shows through a window', { tag: '@webgl' }, async ({ page }) => {
  await open(page, fixture('graphics/draws.trace'));
  // Half transparent blue is drawn over black, and leaves an alpha of 191.
  const answer = await pictured(page, Number.MAX_SAFE_INTEGER);
  const pixels = await answer.evaluate(({ picture }) => ({
    corner: [...(picture?.pixels.slice(4 * (64 * 59 + 4), 4 * (64 * 59 + 5)) ?? [])],
    opaque: picture?.pixels.every((value, i) => i % 4 < 3 || value === 255),
  }));
  expect(pixels.opaque).toBe(true);
  expect(pixels.corner[2]).toBeGreaterThan(100);
});

test('display lists draw the arrays that they were compiled with', { tag: '@webgl' }, async ({ page }) => {
  await open(page, fixture('replay_compiled.trace'));
  const answer = await pictured(page, 47);
  const quarters = await answer.evaluate(({ picture }) =>
    [
      [16, 36],
      [48, 36],
      [16, 12],
      [48, 12],
    ].map(([x, y]) => [...(picture?.pixels.slice(4 * (64 * y! + x!), 4 * (64 * y! + x!) + 3) ?? [])]),
  );
  expect(quarters).toEqual([
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [255, 255, 255],
  ]);
});

/** A recorded trace. Skips the test if it is missing. */
const recorded = (name: string) => recording(join(PATHS[name]!, `${name}.trace`));

test('the heaviest frame is one click away, and frames, draws and views from there', { tag: '@webgl' }, async ({
  page,
}) => {
  await open(page, recorded('glmark2_medium'));
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  const pane = page.getByRole('complementary', { name: 'Picture' });
  await expect(pane).toContainText('Frame 4,052 of 0–4,330', { timeout: 30_000 });
  await expect(pane.getByRole('img', { name: 'Picture of 160 by 120 pixels' })).toBeVisible();
  await expect(pane).toContainText("Replayed on this computer's GPU, not what the traced machine showed.");
  await expect(pane).toContainText('All 11,910 draws and clears of this trace can be shown.');
  await pane.getByRole('button', { name: 'Previous frame' }).click();
  await expect(pane).toContainText('Frame 4,051 of 0–4,330');
  await expect(pane.getByRole('button', { name: 'Next draw' })).toBeDisabled();
  await pane.getByRole('button', { name: 'Previous draw' }).click();
  await expect(pane).toContainText(/\d+ of \d+ draws and clears/);
  await pane.getByRole('radio', { name: 'Changed' }).click();
  await expect(pane).toContainText(/This call changes (no pixel|[\d,]+\spixels?)\./);
  // Its indices are in buffers of our own.
  const shown = () => page.locator('.picture-canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  const before = await shown();
  await pane.getByRole('radio', { name: 'Wireframe' }).click();
  await expect.poll(shown, { timeout: 20_000 }).not.toBe(before);
  await expect(pane.getByRole('alert')).toHaveCount(0);
  await pane.getByRole('button', { name: 'Enlarge' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('img')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});

test('the picture follows the selection', { tag: '@webgl' }, async ({ page }) => {
  await open(page, recorded('glxsimple'));
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  const pane = page.getByRole('complementary', { name: 'Picture' });
  await expect(pane.getByRole('img')).toBeVisible({ timeout: 30_000 });
  await typeGoTo(page, 842);
  await expect(pane).toContainText('after call 842');
  const middle = pane.getByRole('img');
  await middle.hover();
  // Cleared to blue.
  await expect(pane).toContainText('#0000ff');
});

for (const [trace, count, end] of [
  ['glmark2_medium', 6, 129_388],
  ['gtk4_widgets', 4, 27_936],
  ['glxgears_3s', 3, 9_598],
  ['glmix_3f', 4, 328],
] as const)
  test(`jumping in ${trace} gives the pictures of a replay that leaves nothing out`, { tag: '@webgl' }, async ({
    page,
  }) => {
    await open(page, recorded(trace));
    // The same places in each run, all over the trace and in no order.
    const calls = Array.from({ length: count }, (_, i) => Math.floor(end * ((0.13 + 0.618034 * i) % 1)));
    const jumps = [...calls, end, calls[0]!];
    const jumped = await hashes(page, jumps);
    const whole = new Map(
      await hashes(
        page,
        [...calls, end].sort((a, b) => a - b),
        { skips: false, copyMs: Number.POSITIVE_INFINITY, keepCalls: null },
      ),
    );
    // From copies of what was drawn, each made as soon as there was anything new.
    const copied = await hashes(page, [...jumps, ...[...calls].reverse()], {
      skips: true,
      copyMs: 0,
      keepCalls: 1,
    });
    for (const [call, hash] of [...jumped, ...copied]) expect([call, hash]).toEqual([call, whole.get(call)]);
    expect(new Set(whole.values()).size).toBeGreaterThan(2);
  });

const opening = (page: Page) => page.getByRole('region', { name: 'Picture of the trace' });
const replays = (page: Page) => page.workers().filter((worker) => worker.url().includes('#replay'));

test('without a GPU nothing is replayed before somebody asks for a picture', { tag: '@webgl' }, async ({ page }) => {
  await open(page, fixture('replay_views.trace'));
  await expect(opening(page)).toContainText(/draws without a GPU \(SwiftShader\)/i, { timeout: 30_000 });
  await expect.poll(() => replays(page)).toEqual([]);
  await expect(page.locator('.film canvas')).toHaveCount(0);
  // It is where small pictures will be, too.
  await expect(page.getByRole('button', { name: 'Show pictures' })).toHaveCount(2);
  await page.locator('.film').getByRole('button', { name: 'Show pictures' }).click();
  await expect(opening(page).getByRole('button', { name: 'Show this picture' })).toBeVisible({ timeout: 30_000 });
  await expect(page.locator('.film canvas')).toHaveCount(3, { timeout: 30_000 });
});

test('a trace opens with its pictures, and its rows stay where they are', { tag: '@webgl' }, async ({ page }) => {
  await page.goto('./?pictures=now');
  await open(page, fixture('replay_views.trace'));
  await drawn(page);
  const thread = page.locator('.track', { hasText: 'thread 0' });
  const before = await thread.boundingBox();
  await expect(opening(page)).toContainText('Frame 0, the one with the most draws', { timeout: 30_000 });
  await expect(page.locator('.film canvas')).toHaveCount(3, { timeout: 30_000 });
  expect(await thread.boundingBox()).toEqual(before);
  await opening(page).getByRole('button', { name: 'Show this picture' }).click();
  const pane = page.getByRole('complementary', { name: 'Picture' });
  await expect(pane).toContainText('Frame 0 of 0–2');
  await expect(page.getByRole('grid', { name: 'Frames' }).locator('tr[aria-selected="true"]')).toHaveAttribute(
    'id',
    'frame-0',
  );
});

test('a trace without OpenGL calls has no room for pictures', { tag: '@webgl' }, async ({ page }) => {
  await page.goto('./?pictures=now');
  await open(page, fixture('direct3d11.trace'));
  await drawn(page);
  const frames = page.locator('.track', { hasText: 'frames' });
  // A lane of one row, with the two lines of its name.
  expect((await frames.boundingBox())!.height).toBeLessThan(60);
  await expect(opening(page)).toHaveCount(0);
  await expect(page.locator('.film')).toHaveCount(0);
});

test('a step of the picture is a step of all', { tag: '@webgl' }, async ({ page }) => {
  await open(page, fixture('replay_views.trace'));
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  const pane = page.getByRole('complementary', { name: 'Picture' });
  await expect(pane.getByRole('img', { name: /^Picture of/ })).toBeVisible({ timeout: 30_000 });
  const frames = page.getByRole('grid', { name: 'Frames' });
  const row = frames.locator('tr[aria-selected="true"]');
  await pane.getByRole('button', { name: 'Next frame' }).click();
  await expect(row).toHaveAttribute('id', 'frame-1');
  // Before the swap is the last draw, and before that the third.
  await pane.getByRole('button', { name: 'Previous draw' }).click();
  await expect(row).toContainText('glEnd()');
  await pane.getByRole('button', { name: 'Previous draw' }).click();
  await expect(pane).toContainText('3 of 4 draws and clears');
  // The frame opens at the draw, and folds when the selection leaves it.
  const [, number] = /after call ([\d,]+)/.exec((await pane.textContent())!)!;
  await expect(row.locator('.frames-call')).toHaveText(number!);
  await expect(row).toContainText('glEnd()');
  await pane.getByRole('button', { name: 'Next draw' }).click();
  await expect(row.locator('.frames-call')).not.toHaveText(number!);
  await page.getByRole('tab', { name: 'State', exact: true }).click();
  await expect(page.getByRole('complementary', { name: 'State' }).locator('.gl-head')).toContainText(
    (await row.locator('.frames-call').textContent())!,
  );
  await page.getByRole('tab', { name: 'Picture', exact: true }).click();
  await pane.getByRole('button', { name: 'Next frame' }).click();
  await expect(row).toHaveAttribute('id', 'frame-2');
  await expect(frames.locator('.frames-inner')).toHaveCount(0);
  // A call of the list of a pixel, too. A picture of before, which stays meanwhile, lists none.
  await expect(pane).toContainText('click a pixel for its draws');
  await pane.getByRole('img', { name: /^Picture of/ }).focus();
  await page.keyboard.press('Enter');
  const touches = pane.getByRole('region', { name: 'Draws of a pixel' });
  const link = touches.getByRole('button', { name: /^call / }).first();
  const touched = (await link.textContent())!.replace('call ', '');
  await link.click();
  await expect(row.locator('.frames-call')).toHaveText(touched);
  await expect(touches.locator('[aria-current="true"]')).toContainText(touched);
});
