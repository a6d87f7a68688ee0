/* What tests of registers and memory share. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { open, pictured, test } from './page.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/frames');
/** The pane of the state. */
export const pane = (page: Page) => page.getByRole('complementary', { name: 'State' });
/** The row of a register. */
export const register = (page: Page, name: string) =>
  pane(page)
    .getByRole('region', { name: 'Registers' })
    .getByRole('button', { name: new RegExp(`^${name} `) });
/** The window of memory. */
export const memory = (page: Page) => pane(page).getByRole('region', { name: 'Memory' });

/** The path of a recorded trace. Skips the test if it is missing. */
export function recording(name: string): string {
  const path = join(CORPUS, name);
  test.skip(!existsSync(path), `${path} is missing`);
  return path;
}

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
  const field = page.getByPlaceholder('Go to…');
  await field.fill(String(step));
  await field.press('Enter');
  await isBefore(page, step);
}

/** Waits for the state before a step. */
export async function isBefore(page: Page, step: number): Promise<void> {
  const counted = step.toLocaleString('en');
  await expect(pane(page).getByText(new RegExp(`^Before step ${counted}( |$)`))).toBeVisible();
}
