import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { fixture, open, showPanel, test } from './page.ts';

/** Words of what is still on its way. */
const UNFINISHED = /\b(Counting|Finding|Indexing|Listing|Loading|Making|Reading|Scanning|Searching)\b[^\n]*…/;

function written(name: string, bytes: Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), 'unspool-empty-')), name);
  writeFileSync(path, bytes);
  return path;
}

/** A database whose tables are empty, but those of its format. */
async function emptied(name: string): Promise<string> {
  const { default: init } = await import('sql.js');
  const wasmBinary = readFileSync(join(import.meta.dirname, '../../node_modules/sql.js/dist/sql-wasm.wasm'));
  const options = { locateFile: (file: string) => file, wasmBinary };
  const database = new (await init(options)).Database(readFileSync(fixture(name)));
  const statement = database.prepare("select name from sqlite_master where type = 'table' and name not like '%meta%'");
  const tables: string[] = [];
  while (statement.step()) tables.push(String(statement.get(null, { useBigInt: false })[0]));
  statement.free();
  for (const table of tables) database.run(`delete from "${table}"`);
  return written(basename(name), database.export());
}

/** The beginning of a fixture, as a writer leaves it that is ended. */
const part = (name: string, share: number) => {
  const whole = readFileSync(fixture(name));
  return written(basename(name), whole.subarray(0, Math.floor(share * whole.length)));
};

/** A fixture with a byte in fifty changed, beyond its beginning. */
const damaged = (name: string) =>
  written(
    basename(name),
    readFileSync(fixture(name)).map((byte, i) => (i > 200 && i % 50 === 0 ? byte ^ 0x55 : byte)),
  );

const TRACES: readonly (readonly [string, () => Promise<string> | string])[] = [
  ['an execution without instructions', () => emptied('rvn/blocks.sqlite')],
  ['an XRay log without records', () => written('empty.xray', readFileSync(fixture('threads.xray')).subarray(0, 32))],
  ['an apitrace of one call', () => part('scene.trace', 0.02)],
  ['frames that are cut', () => part('frames/calls.frames', 0.5)],
  ['a damaged apitrace', () => damaged('scene.trace')],
  ['a damaged XRay log', () => damaged('threads.xray')],
  ['damaged frames', () => damaged('frames/calls.frames')],
  ['damaged values', () => damaged('trace_db/variables.trace')],
  ['values that are cut', () => part('trace_db/variables.trace', 0.2)],
  ['a cut database', () => part('rvn/blocks.sqlite', 0.9)],
];

async function panels(page: Page): Promise<readonly string[]> {
  await expect(page.getByRole('tablist', { name: 'Panels' }).getByRole('tab').first()).toBeVisible();
  const tabs = await page.getByRole('tablist', { name: 'Panels' }).getByRole('tab').allInnerTexts();
  const more = page.getByRole('button', { name: 'More', exact: true });
  if (!(await more.isVisible())) return tabs;
  await more.click();
  const others = await page.getByRole('menuitem').allInnerTexts();
  await page.keyboard.press('Escape');
  return [...tabs, ...others];
}

for (const [what, make] of TRACES) {
  test(`panels of ${what} are filled, or say why they are not`, async ({ page }) => {
    await open(page, await make());
    for (const title of await panels(page)) {
      await showPanel(page, title);
      const panel = page.getByRole('tabpanel', { name: title });
      const isSettled = async () => {
        const text = await panel.innerText();
        return text.trim() !== '' && !UNFINISHED.test(text);
      };
      await expect.poll(isSettled, { message: title }).toBe(true);
    }
  });
}
