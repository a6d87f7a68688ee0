/* What tests of registers and memory share. */
import { expect, type Page } from '@playwright/test';
import { open, pictured, typeGoTo } from './page.ts';

/** The pane of the state. */
export const pane = (page: Page) => page.getByRole('complementary', { name: 'State' });
/** The row of a register. */
export const register = (page: Page, name: string) =>
  pane(page)
    .getByRole('region', { name: 'Registers' })
    .getByRole('button', { name: new RegExp(`^${name} `) });
/** The window of memory. */
export const memory = (page: Page) => pane(page).getByRole('region', { name: 'Memory' });

/** Opens a trace, shows the state and selects a step. */
export async function stateAt(page: Page, path: string, step: number): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, path);
  await pictured(page);
  await page.getByRole('tab', { name: 'State', exact: true }).click();
  await goTo(page, step);
}

/** Goes to a step. */
export async function goTo(page: Page, step: number): Promise<void> {
  await typeGoTo(page, step);
  await isBefore(page, step);
}

/** Waits for the state before a step. */
export async function isBefore(page: Page, step: number): Promise<void> {
  const counted = step.toLocaleString('en');
  await expect(pane(page).getByText(new RegExp(`^Before step ${counted}( |$)`))).toBeVisible();
}
