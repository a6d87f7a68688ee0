import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { barriers, fixture, settled, test } from './page.ts';

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

test('files that were opened are listed, opened again, and removed', async ({ page }) => {
  await expect(page.getByRole('heading', { name: 'Recent files' })).toHaveCount(0);
  await answerDialog(page, 'threads.xray');
  await page.getByRole('button', { name: 'Open a trace' }).click();
  await settled(page, 'ready', 'threads.xray');
  await expect.poll(() => kept(page)).toBe(1);
  await page.reload();
  const entry = page.getByRole('button', { name: /^threads\.xray\s*XRay/ });
  await expect(entry).toBeVisible();
  expect(await barriers(page)).toEqual([]);
  await entry.click();
  await settled(page, 'ready', 'threads.xray');
  await page.reload();
  await page.getByRole('button', { name: 'Remove threads.xray from the list' }).click();
  await expect(page.getByRole('heading', { name: 'Recent files' })).toHaveCount(0);
  await expect.poll(() => kept(page)).toBe(0);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Open a trace' })).toBeVisible();
  await expect(entry).toHaveCount(0);
});

test('the page starts where databases are forbidden', async ({ page }) => {
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
