// Panels that are measured.

/**
 * Brings a panel to the front, given its id, from its tab or from the menu of panels without one.
 *
 * @param {import('@playwright/test').Page} page
 * @param {'calls' | 'query'} id
 */
export async function showPanel(page, id) {
  const tab = page.locator(`#tab-${id}`);
  if (await tab.isVisible()) return tab.click();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: { calls: /Functions|Lifetimes/, query: 'SQL' }[id] }).click();
}

/**
 * Brings the table of functions to the front.
 *
 * @param {import('@playwright/test').Page} page
 */
export async function showFunctions(page) {
  await showPanel(page, 'calls');
  await page.getByRole('radio', { name: /Functions|Names/ }).click();
}
