import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test as base, expect, type Page, type Worker } from '@playwright/test';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const CORPUS = join(import.meta.dirname, '../../../shared/corpus');

/** For a test of what only a browser with windows has: its dialogs. */
export const DIALOG = { tag: '@dialog' };

/** The workers that read traces. Each may have others beside it, for the records and for what steps access. */
export function traceWorkers(page: Page): Worker[] {
  return page.workers().filter((worker) => !/#(records|steps|graphics|findings)$/.test(worker.url()));
}

/** The workers that read records of traces. They start when the page is idle, or with the first question. */
export function recordWorkers(page: Page): Worker[] {
  return page.workers().filter((worker) => worker.url().endsWith('#records'));
}

/** The right pane about the selection. */
export const details = (page: Page) => page.getByRole('complementary', { name: 'Details' });
/** The timeline. */
export const area = (page: Page) => page.locator('.area');
/** The header of the page. */
export const header = (page: Page) => page.locator('.header');
/** The notice at the bottom of the page. */
export const notice = (page: Page) => page.locator('.notice');
/** Tracks that were made from results. */
export const derived = (page: Page) => page.locator('.track.derived');
/** The table of functions. */
export const functions = (page: Page) => page.locator('.functions table');
/** The files that add to the trace. */
export const companions = (page: Page) => page.getByRole('list', { name: 'Files that add to this trace' });
/** A text with plain spaces, and one of them at a time. */
export const plain = (text: string) => text.replace(/[\s\u00a0\u202f]+/g, ' ').trim();

/*
 * A context of its own for each test. One that tests share, and that is emptied between them, saves nothing: from the end of a test to
 * the first picture of the next one the median of ten is 1.2 s with new contexts and 1.3 s without (two cores, both busy). A context
 * takes 0.16 s to make and to close, and as much time goes by until a page in use is left and emptied.
 */

/** Opens the page, and fails the test on an uncaught error. */
export const test = base.extend<{ page: Page }>({
  page: async ({ page }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    // A trace that took long to read, as any may on a busy machine, is replaced after a question.
    const question = page.locator('.notice p', { hasText: /^Open .* in place of this trace\?/ });
    await page.addLocatorHandler(question, () => question.getByRole('button', { name: 'Open' }).click());
    // Dialogs of the File System Access API cannot be answered here: without them, inputs and downloads take their place.
    await page.addInitScript(() => {
      for (const picker of ['showOpenFilePicker', 'showSaveFilePicker']) Reflect.deleteProperty(window, picker);
    });
    // Playwright intercepts file dialogs only while there is a listener, so there is one before any key is pressed.
    page.on('filechooser', () => undefined);
    await page.goto('./');
    await use(page);
    expect(errors).toEqual([]);
  },
});

/** Brings a panel of the dock to the front, from its tab or from the menu of those without one. */
export async function showPanel(page: Page, name: string): Promise<void> {
  const tab = page.getByRole('tablist', { name: 'Panels' }).getByRole('tab', { name, exact: true });
  const more = page.getByRole('button', { name: 'More' });
  await expect(tab.or(more).first()).toBeVisible();
  if (!(await tab.isVisible())) {
    await more.click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  } else await tab.click();
  await expect(tab).toHaveAttribute('aria-selected', 'true');
}

/** The path of a fixture: with its folder, or the bare name of an XRay log or an apitrace. */
export function fixture(name: string): string {
  if (name.includes('/')) return join(FIXTURES, name);
  return join(FIXTURES, name.endsWith('.trace') ? 'apitrace' : 'xray', name);
}

/** Paths of recorded traces outside the repository; empty if they are missing. */
export function recorded(format: 'xray' | 'apitrace'): string[] {
  const folder = join(CORPUS, format, 'recorded');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(format === 'xray' ? '.xray' : '.trace'))
    .map((name) => join(folder, name));
}

/** Sends a message to the page, and returns the answer of a type. */
export async function answered<Answer>(page: Page, type: string, answer: string): Promise<Answer> {
  return page.evaluate(
    ([asked, awaited]) =>
      new Promise<Answer>((resolve) => {
        const hear = ({ data }: MessageEvent) => {
          if (data?.type !== awaited) return;
          window.removeEventListener('message', hear);
          resolve(data);
        };
        window.addEventListener('message', hear);
        window.postMessage({ type: asked });
      }),
    [type, answer] as const,
  );
}

/** The path of a file of the corpus beside the repository. Skips the test if it is missing. */
export function recording(path: string): string {
  const full = join(CORPUS, path);
  test.skip(!existsSync(full), `${full} is missing`);
  return full;
}

/** A file for {@link choose}. */
export function chosen(name: string, content: string | Buffer) {
  return { name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) };
}

/** Chooses files by the page's input. */
export async function choose(page: Page, ...files: ReturnType<typeof chosen>[]): Promise<void> {
  await page.setInputFiles('#file-input', files);
}

/** The digest of the trace, or null without a trace. */
export async function digest(page: Page): Promise<string | null> {
  return (await answered<{ digest: string | null }>(page, 'unspool:digest', 'unspool:digested')).digest;
}

/** Opens a file by the page's input and waits for the resulting state. */
export async function open(page: Page, path: string, state: 'ready' | 'failed' = 'ready'): Promise<void> {
  await page.setInputFiles('#file-input', path);
  await settled(page, state, basename(path));
}

/** Waits for a state of the page, after the heading shows the file `name`. */
export async function settled(page: Page, state: 'empty' | 'ready' | 'failed', name?: string): Promise<void> {
  if (name) await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
  await expect(page.locator('body')).toHaveAttribute('data-state', state);
}

/** Brings the Functions panel to the front, and one of its views. */
export async function showCalls(
  page: Page,
  view: 'Functions' | 'Names' | 'Tree' | 'Flame' | 'Stacks' | 'Graph',
): Promise<void> {
  await page.locator('#tab-calls').click();
  await page.getByRole('radio', { name: view, exact: true }).click();
}

/** Waits until slices are on the screen. */
export async function pictured(page: Page): Promise<void> {
  await page.waitForFunction(() => performance.getEntriesByName('unspool:first-picture').length > 0);
}

/**
 * Stays longer than between two selections by a key that is held (`HELD_MS` in visits.ts), which pass places by: what is chosen next is
 * another place in the history.
 */
export async function stay(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 150)));
}

/** Drops a file on the page. Its content is that of `path`, with the part after the header repeated `times` times. */
export async function drop(page: Page, name: string, path: string, times = 1): Promise<void> {
  const base64 = readFileSync(path).toString('base64');
  await page.evaluate(
    ([fileName, content, copies]) => {
      const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
      // After the header of 32 bytes come buffers, which can be repeated.
      const body = bytes.subarray(32);
      const file = new File([bytes.subarray(0, 32), ...Array.from({ length: copies }, () => body)], fileName);
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(file);
      for (const type of ['dragenter', 'dragover', 'drop']) {
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }
    },
    [name, base64, times] as const,
  );
}

/** The details of the User Timing marks, by name. */
export async function marks(page: Page): Promise<Record<string, { bytesRead: number; bytes: number; events: number }>> {
  return page.evaluate(() =>
    Object.fromEntries(
      performance.getEntriesByType('mark').map((mark) => [mark.name, (mark as PerformanceMark).detail]),
    ),
  );
}

/** Number of coloured pixels of the timeline. Below the text only slices are coloured. */
export async function inked(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.area canvas')!;
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      const parts = [data[i]!, data[i + 1]!, data[i + 2]!];
      if (Math.max(...parts) - Math.min(...parts) > 24) count += 1;
    }
    return count;
  });
}

/** The places of coloured pixels in a line of the timeline, `y` CSS pixels from the top, as a fraction of the width. */
export async function inkedAt(page: Page, y: number): Promise<number[]> {
  return page.evaluate((top) => {
    const canvas = document.querySelector<HTMLCanvasElement>('.area canvas')!;
    const ratio = canvas.width / canvas.clientWidth;
    const { data } = canvas.getContext('2d')!.getImageData(0, Math.round(top * ratio), canvas.width, 1);
    const found: number[] = [];
    for (let i = 0; i < data.length; i += 4) {
      const parts = [data[i]!, data[i + 1]!, data[i + 2]!];
      if (Math.max(...parts) - Math.min(...parts) > 24) found.push(i / data.length);
    }
    return found;
  }, y);
}

/** Selects a range over the timeline by a drag with Shift, in fractions of its width. */
export async function selectRange(page: Page, from: number, to: number): Promise<void> {
  const box = (await area(page).boundingBox())!;
  await page.mouse.move(box.x + from * box.width, box.y + 60);
  await page.keyboard.down('Shift');
  await page.mouse.down();
  await page.mouse.move(box.x + to * box.width, box.y + 80, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
}

/** CSS pixels of margin on either side of the whole trace. */
const MARGIN = 8;

/** The place at `at` on an x axis that ends at `end`, all of it shown, `down` pixels below the top of the track `name`. */
export async function placeIn(page: Page, name: string | RegExp, at: number, end: number, down: number) {
  const box = (await area(page).boundingBox())!;
  const top = (await page.locator('.track', { hasText: name }).first().boundingBox())!.y;
  return { x: box.x + MARGIN + ((box.width - 2 * MARGIN) * at) / end, y: top + down };
}

/** Clicks there. */
export async function clickAt(...place: Parameters<typeof placeIn>): Promise<void> {
  const { x, y } = await placeIn(...place);
  await place[0].mouse.click(x, y);
}

/** Types a position into the field of the search, narrowed to places. */
export async function typeGoTo(page: Page, position: number): Promise<void> {
  await page.keyboard.press('Control+p');
  const field = page.getByRole('combobox', { name: 'Go to a position or a name' });
  await field.fill(String(position));
  await field.press('Enter');
}

/** Runs a command by its title. It has begun when this resolves: without the list, Enter would wait for that. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search commands' }).fill(title);
  await expect(page.locator('#find-field-list').getByRole('option').first()).toContainText(title);
  await page.keyboard.press('Enter');
}
