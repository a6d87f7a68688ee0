// Searches: how long until the number of hits and the first page of them are there, and until the first hit and all of them when
// the records must be read.

import { showFunctions } from './panels.mjs';

/** @import { Page } from '@playwright/test' */
/** @typedef {{ hits: number, first: number, all: number, page: number }} Search Hits, and times in ms from the beginning. */
/** @typedef {{ names: Search | null, records: Search | null, values: { one?: number, two?: number } }} Finding */

const WAIT_MS = 120_000;

/**
 * Expressions that need the records, by the beginning of the format's title. Fields of all records are looked at. Generated traces and
 * recorded ones have hits.
 */
const OF_RECORDS = {
  XRay: 'arg.cpu>=0',
  apitrace: 'arg.x>2 or arg.v0>0',
  'BAP frames': 'insn:call',
  'trace-db': 'arg.i>0',
};

/** Queries about values, with one and with two free variables. The types are those of `unspool generate trace-db`. */
const OF_VALUES = { one: 'values: a: int where a > 46', two: 'values: a, b: int where a + b = 12345' };

/**
 * Searches for the function with the most calls, and for records, and measures the second time, when everything is loaded. Times in
 * ms from the beginning of the search. `names` is null without slices, or if each has a name of its own; `records` is null for a database, whose instructions
 * are a join of many rows. `values` has the times of queries about values, where there are any.
 *
 * @param {Page} page
 * @param {string} title
 * @param {number} slices
 * @returns {Promise<Finding>}
 */
export async function finding(page, title, slices) {
  const name = slices > 0 ? await mostCalled(page) : null;
  await page.keyboard.press('Control+f');
  await page.waitForSelector('#find-field');
  /** @param {string} expression */
  const of = async (expression) => {
    await page.evaluate(search, { expression, wait: WAIT_MS });
    return page.evaluate(search, { expression, wait: WAIT_MS });
  };
  const names = name === null ? null : await of(`name:"${name.replaceAll(/[\\"]/g, '\\$&')}"`);
  /** @type {Record<string, number>} */
  const values = {};
  if (title.startsWith('trace-db')) {
    for (const [which, query] of Object.entries(OF_VALUES)) values[which] = (await of(query)).all;
  }
  const expression = Object.entries(OF_RECORDS).find(([format]) => title.startsWith(format))?.[1];
  return { names, records: expression === undefined ? null : await of(expression), values };
}

/** @param {Page} page */
async function mostCalled(page) {
  await showFunctions(page);
  await page.waitForSelector('.functions tbody td.name', { timeout: WAIT_MS });
  const head = page.locator('.functions th.count button');
  if ((await head.count()) === 0) return null;
  await head.click();
  await page.waitForTimeout(200);
  return page.locator('.functions tbody td.name').first().getAttribute('title');
}

/**
 * Runs in the page.
 *
 * @param {{ expression: string, wait: number }} asked
 * @returns {Promise<Search>}
 */
async function search({ expression, wait }) {
  const field = /** @type {HTMLInputElement} */ (document.querySelector('#find-field'));
  const { set } = /** @type {PropertyDescriptor} */ (
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
  );
  /** @param {string} text */
  const type = (text) => {
    set?.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  /** @param {() => unknown} is */
  const until = async (is) => {
    const end = performance.now() + wait;
    while (!is() && performance.now() < end) await frame();
    return performance.now();
  };
  type('');
  const said = () => document.querySelector('.find-count')?.textContent ?? '';
  await until(() => said() === '');
  // A field that is empty for a moment only asks nothing, and the same text after it is not asked again.
  await new Promise((resolve) => setTimeout(resolve, 500));
  performance.clearMarks('unspool:find');
  type(expression);
  await until(() => performance.getEntriesByName('unspool:find').length > 0);
  const began = performance.getEntriesByName('unspool:find')[0].startTime;
  const isDone = () => said().includes('hit') && !/[%…]/.test(said());
  const first = await until(() => /^[1-9]/.test(said()) || isDone());
  const done = await until(isDone);
  const hits = Number(/^[\d,]+/.exec(said())?.[0].replaceAll(',', ''));
  const listing = performance.now();
  // The tab is there from the first hit on, once its code is.
  /** @type {() => HTMLElement | null} */
  const tab = () => document.querySelector('#tab-results');
  await until(() => hits === 0 || tab());
  tab()?.click();
  const page = await until(() => hits === 0 || document.querySelector('#hit-0 td:not(:empty)'));
  return { hits, first: first - began, all: done - began, page: done - began + (page - listing) };
}
