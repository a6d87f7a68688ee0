// Panels that are measured.

/** Brings the table of functions to the front. A trace of values has it in the menu of panels without a tab. */
export async function showFunctions(page) {
  const tab = page.locator('#tab-calls');
  if (await tab.isVisible()) await tab.click();
  else {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Lifetimes' }).click();
  }
  await page.getByRole('radio', { name: /Functions|Names/ }).click();
}
