import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { fixture, notice, pictured, runCommand, settled, test } from './page.ts';

/** Lets the dialog of the browser return a file, which the page itself has written. */
async function answerDialog(page: Page, name: string): Promise<void> {
  await page.evaluate(
    async ({ title, bytes }) => {
      const folder = await navigator.storage.getDirectory();
      const handle = await folder.getFileHandle(title, { create: true });
      const file = await handle.createWritable();
      await file.write(Uint8Array.from(bytes));
      await file.close();
      Object.assign(window, { showOpenFilePicker: async () => [handle] });
    },
    { title: name, bytes: [...readFileSync(fixture(name))] },
  );
}

/** Number of files in the list that the browser keeps. It is written after a file has been opened. */
function kept(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open('unspool', 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore('recent');
        opening.onsuccess = () => {
          const asked = opening.result.transaction('recent').objectStore('recent').get('files');
          asked.onsuccess = () => {
            opening.result.close();
            resolve(asked.result?.length ?? 0);
          };
        };
      }),
  );
}

test('files that were opened are listed, opened again, and removed', { tag: '@storage' }, async ({ page }) => {
  await expect(page.getByRole('heading', { name: 'Recent files' })).toHaveCount(0);
  await answerDialog(page, 'threads.xray');
  await page.getByRole('button', { name: 'Open a trace' }).click();
  await settled(page, 'ready', 'threads.xray');
  await expect.poll(() => kept(page)).toBe(1);
  await page.goto('about:blank');
  await page.goto('./');
  const entry = page.getByRole('button', { name: /^threads\.xray\s*XRay/ });
  await expect(entry).toBeVisible();
  await entry.click();
  await settled(page, 'ready', 'threads.xray');
  await page.goto('about:blank');
  await page.goto('./');
  await page.getByRole('button', { name: 'Remove threads.xray from the list' }).click();
  await expect(page.getByRole('heading', { name: 'Recent files' })).toHaveCount(0);
  await expect.poll(() => kept(page)).toBe(0);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Open a trace' })).toBeVisible();
  await expect(entry).toHaveCount(0);
});

test('the page starts where databases are forbidden', { tag: '@storage' }, async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'indexedDB', {
      get: () => {
        throw new DOMException('forbidden', 'SecurityError');
      },
    });
  });
  await page.reload();
  await page.setInputFiles('#file-input', fixture('threads.xray'));
  await settled(page, 'ready', 'threads.xray');
});

/** Waits until the address leads to the open file. */
async function written(page: Page, name: string): Promise<void> {
  await expect.poll(() => page.url(), { timeout: 15_000 }).toContain(`#unspool=1&name=${name}`);
}

test('a file with a handle comes back by itself after a reload, and after a click where the browser asks', {
  tag: '@storage',
}, async ({ page }) => {
  await answerDialog(page, 'threads.xray');
  await page.getByRole('button', { name: 'Open a trace' }).click();
  await settled(page, 'ready', 'threads.xray');
  await expect.poll(() => kept(page)).toBe(1);
  await pictured(page);
  await page.locator('.area').focus();
  await page.keyboard.press('Enter');
  await written(page, 'threads.xray');
  await expect.poll(() => page.url(), { timeout: 15_000 }).toContain('&at=');
  const head = page.locator('.details-head');
  const name = (await head.textContent()) ?? '';
  await page.reload();
  await settled(page, 'ready', 'threads.xray');
  await expect(head).toHaveText(name);
  await page.addInitScript(() => {
    let isGranted = false;
    Object.assign(FileSystemFileHandle.prototype, {
      queryPermission: async () => (isGranted ? 'granted' : 'prompt'),
      requestPermission: async () => {
        isGranted = true;
        return 'granted';
      },
    });
  });
  await written(page, 'threads.xray');
  await page.reload();
  await page.getByRole('button', { name: 'Open threads.xray again' }).click();
  await settled(page, 'ready', 'threads.xray');
  await expect(head).toHaveText(name);
});

test('a file without a handle comes back from a copy that was asked for, until that is deleted', {
  tag: '@storage',
}, async ({ page }) => {
  await page.setInputFiles('#file-input', fixture('threads.xray'));
  await settled(page, 'ready', 'threads.xray');
  await written(page, 'threads.xray');
  await runCommand(page, 'Keep a copy in this browser');
  const dialog = page.getByRole('dialog', { name: 'Keep a copy of threads.xray?' });
  await expect(dialog).toContainText(/takes [\d.,]+.kB in this browser/);
  await expect(dialog).toContainText(`Other pages of ${new URL(page.url()).host} can read it`);
  await dialog.getByRole('button', { name: 'Keep a copy' }).click();
  await expect(dialog).toBeHidden();
  await expect(notice(page)).toContainText('A copy of threads.xray');
  await page.reload();
  await settled(page, 'ready', 'threads.xray');
  await page.goto('about:blank');
  await page.goto('./');
  await page.getByRole('button', { name: /^threads\.xray.*copy in this browser/ }).click();
  await settled(page, 'ready', 'threads.xray');
  await written(page, 'threads.xray');
  await runCommand(page, 'Delete the copy in this browser');
  await expect(notice(page)).toContainText('was deleted');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('was open here');
  await page.getByRole('button', { name: 'Forget it' }).click();
  await expect(page.getByRole('button', { name: 'Open a trace' })).toBeVisible();
  expect(new URL(page.url()).hash).toBe('');
});
