import { expect } from '@playwright/test';
import { SWIFTSHADER } from './gpu.ts';
import { fixture, open, test } from './page.ts';

test.use({ launchOptions: SWIFTSHADER });
test.describe.configure({ mode: 'default' });

/** Traces that demand too much, with what is said. */
const CASES = [
  // A slow computer takes too long for the loop, however it is bounded.
  ['replay_loop.trace', /a loop of its shader was stopped after 3815 iterations|takes longer than a few seconds/],
  ['replay_time.trace', 'The GPU took more than 4 seconds'],
  ['replay_lists.trace', 'expands to more than 1048576 commands of display lists'],
  ['replay_bytes.trace', 'take more than 512 MiB'],
  ['replay_contexts.trace', 'The trace has more than 8 contexts'],
] as const;

for (const [name, sentence] of CASES)
  test(`${name} ends with a sentence, and the page lives on`, async ({ page }) => {
    await open(page, fixture(name));
    await page.getByRole('tab', { name: 'Picture', exact: true }).click();
    const pane = page.getByRole('complementary', { name: 'Picture' });
    await expect(pane).toContainText(sentence, { timeout: 30_000 });
    // The rest of the page goes on.
    await page.getByRole('tab', { name: 'Details', exact: true }).click();
    await expect(page.getByRole('complementary', { name: /Trace|Details/ })).toBeVisible();
  });
