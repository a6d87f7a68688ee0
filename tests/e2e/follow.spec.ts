import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, type Page } from '@playwright/test';
import { digest, fixture, header, notice, open, pictured, settled, test } from './page.ts';

const DIST = join(import.meta.dirname, '../../dist');
const NATIVE = join(import.meta.dirname, '../../target/debug/unspool');

/** Where a file of `size` bytes is cut: the same places each time, most of them within a record. */
function cutsOf(size: number, count: number): number[] {
  let state = 12_345;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  return Array.from({ length: count }, () => 1 + Math.floor(random() * (size - 1))).sort((a, b) => a - b);
}

const growing = (page: Page) => header(page).getByRole('button', { name: 'Growing' });
async function inMenu(page: Page, name: string): Promise<void> {
  await growing(page).click();
  await page.getByRole('button', { name }).click();
}

/** Waits until the page has looked at what is there now: a look begins once the one before is over. */
async function looked(page: Page): Promise<void> {
  for (let i = 0; i < 3; i += 1) await page.waitForResponse(/\/[0-9a-f]{32}\/$/);
}

/** `unspool open --follow` with a page that is built. */
async function following(...args: readonly string[]): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(NATIVE, ['open', '--follow', '--no-browser', '--port', '0', '--page', DIST, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve) => createInterface(child.stdout!).once('line', resolve));
  return { child, url };
}

const FILES = ['threads.xray', 'scene.trace', 'frames/calls.frames', 'trace_db/variables.trace'];
const has = existsSync(NATIVE) && statSync(NATIVE).size > 0;

test.describe('unspool open --follow', () => {
  test.skip(!has, 'target/debug/unspool is missing: cargo build -p unspool-cli');

  for (const name of FILES) {
    test(`reads ${name} while it is written`, async ({ page }) => {
      const whole = readFileSync(fixture(name));
      await open(page, fixture(name));
      const expected = await digest(page);
      const path = join(mkdtempSync(join(tmpdir(), 'unspool-follow-')), basename(name));
      const [first = 1, ...cuts] = cutsOf(whole.length, 100);
      writeFileSync(path, whole.subarray(0, first));
      const { child, url } = await following(path);
      try {
        await page.goto(url);
        let at = first;
        for (const cut of [...cuts, whole.length]) {
          appendFileSync(path, whole.subarray(at, cut));
          at = cut;
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        await settled(page, 'ready', basename(name));
        await pictured(page);
        await expect(growing(page)).toBeVisible();
        await looked(page);
        await inMenu(page, 'Stop following');
        await expect(growing(page)).toBeHidden();
        await expect.poll(() => digest(page)).toBe(expected);
        await expect(notice(page)).not.toContainText('no longer');
      } finally {
        child.kill();
      }
    });
  }
});
