// SQL over the slices of a trace: in the page, and in SQLite itself, over our pages and over a table of its own.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { find, must, root } from '../../scripts/lib.mjs';
import { choose, startPage } from './browser.mjs';
import { generated } from './inputs.mjs';
import { showPanel } from './panels.mjs';

/** @typedef {{ first: number, rows: number, each: number[] }} Asked */

/** Two records a slice. */
const INPUT = { name: 'sql', format: 'xray', events: 10_000_000, ending: 'xray' };
const WAIT_MS = 120_000;

/** What is asked. The first one is asked again: before it, SQLite is loaded and the pages are made and handed over. */
export const STATEMENTS = [
  'select count(*) from slices',
  'select count(*), sum(dur), min(start), max(dur) from slices',
  'select name, count(*), sum(dur) from slices group by 1',
];

/** Times each statement over our pages, makes a table of the same rows in memory, and times them over that. */
const NATIVE = `
import json, sqlite3, sys, time
def times(db):
    out = []
    for statement in json.loads(sys.argv[2]):
        began = time.perf_counter()
        db.execute(statement).fetchall()
        out.append((time.perf_counter() - began) * 1000)
    return out
pages = sqlite3.connect(sys.argv[1])
ours = times(pages)
own = sqlite3.connect(":memory:")
own.execute("attach ? as from_pages", (sys.argv[1],))
own.execute("create table slices as select * from from_pages.slices")
own.commit()
own.execute("detach from_pages")
rows = own.execute("select count(*) from slices").fetchone()[0]
print(json.dumps({"rows": rows, "ours": ours, "own": times(own)}))
`;

/**
 * The times of one run in ms: of the first statement when it is the first, of each statement after that, and those of SQLite, which is
 * undefined without Python.
 *
 * @param {string} chromium
 * @param {string} url
 * @param {string} unspool
 * @param {boolean} [quick]
 * @returns {Promise<Asked & { native: { rows: number, ours: number[], own: number[] } | undefined }>}
 */
export async function sqlRates(chromium, url, unspool, quick) {
  const path = await generated(unspool, INPUT, quick);
  const page = await inPage(chromium, url, path);
  const python = find('python3');
  if (!python) return { ...page, native: undefined };
  const database = join(root, 'target', 'bench', 'sql.sqlite');
  try {
    await must(unspool, ['sql', path, '--save', database]);
    const ran = spawnSync(python, ['-c', NATIVE, database, JSON.stringify(STATEMENTS)], { encoding: 'utf8' });
    return { ...page, native: ran.status === 0 ? JSON.parse(ran.stdout) : undefined };
  } finally {
    rmSync(database, { force: true });
  }
}

/**
 * @param {string} chromium
 * @param {string} url
 * @param {string} path
 */
async function inPage(chromium, url, path) {
  const { page, client, close } = await startPage(chromium, url);
  try {
    await choose(client, path);
    await page.waitForFunction(() => document.body.dataset['state'] === 'ready', null, { timeout: WAIT_MS });
    return await asked(page);
  } finally {
    await close();
  }
}

/**
 * The times of statements in an open trace, in ms, of the first one until there is an answer, and of each after that, and the number of
 * slices that they are about. Rejects with what the page says in place of an answer.
 *
 * @param {import('@playwright/test').Page} page
 * @returns {Promise<Asked>}
 */
export async function asked(page) {
  await showPanel(page, 'query');
  const box = page.getByRole('textbox', { name: 'SQL query' });
  /** @param {string} statement */
  const ask = async (statement) => {
    await box.press('Control+a');
    await page.keyboard.insertText(statement);
    const began = performance.now();
    await page.keyboard.press('Control+Enter');
    // Not the answer to the statement before.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const ended = await page.waitForFunction(
      () => {
        const status = document.querySelector('.query .panel-end[role=status]');
        const wrong = status?.querySelector(':scope > .warning-text')?.textContent ?? '';
        return (wrong || /rows?\sin/.test(status?.textContent ?? '')) && { wrong };
      },
      null,
      { timeout: WAIT_MS, polling: 'raf' },
    );
    const took = performance.now() - began;
    const { wrong } = /** @type {{ wrong: string }} */ (await ended.jsonValue());
    if (wrong) throw new Error(wrong);
    return took;
  };
  const first = await ask(STATEMENTS[0]);
  const rows = Number((await page.locator('.query-rows').innerText()).match(/[\d,]+(?=\s*$)/)?.[0].replaceAll(',', ''));
  /** @type {number[]} */
  const each = [];
  for (const statement of STATEMENTS) each.push(await ask(statement));
  return { first, rows, each };
}
