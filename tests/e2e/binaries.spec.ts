import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import {
  choose,
  chosen,
  companions,
  details,
  digest,
  fixture,
  functions,
  notice,
  open,
  runCommand,
  settled,
  showCalls,
  test,
} from './page.ts';

const facts = (page: Page) => page.getByRole('complementary', { name: 'Trace' });

const file = (path: string, name = basename(path)) => chosen(name, readFileSync(path));
const binary = (name: string, as = name) => file(fixture(`binaries/${name}`), as);

test('a program that comes after its log names the functions', async ({ page }) => {
  await open(page, fixture('binaries/program.xray'));
  await showCalls(page, 'Functions');
  await expect(functions(page)).toContainText('#7');
  await expect(facts(page)).toContainText('This log has function numbers only.');
  const before = await digest(page);
  await choose(page, binary('program.elf'));
  await expect(functions(page)).toContainText('program::generic::<u8>');
  await expect(functions(page)).not.toContainText('#');
  await expect(facts(page)).toContainText(/It names 7.functions of this trace\./);
  await expect(facts(page)).not.toContainText('numbers only');
  // There is nothing to choose.
  await expect(facts(page).getByRole('combobox')).toHaveCount(0);
  expect(await digest(page)).toBe(before);
  await page.getByRole('button', { name: 'Remove program.elf' }).click();
  await expect(functions(page)).toContainText('#7');
});

for (const order of ['together', 'before']) {
  test(`a program that comes ${order} with its log names the functions`, async ({ page }) => {
    if (order === 'before') {
      await choose(page, binary('program.elf'));
      await expect(page.locator('.waiting')).toContainText('program.elf');
      await choose(page, binary('program.xray'));
    } else await choose(page, binary('program.elf'), binary('program.xray'));
    await settled(page, 'ready', 'program.xray');
    await showCalls(page, 'Functions');
    await expect(functions(page)).toContainText('<program::shapes::Square as program::shapes::Area>::area');
    await expect(companions(page).getByRole('listitem')).toHaveAttribute('title', /^It names 7.functions/);
  });
}

test('a program says which calls were left by jumps, whichever comes first', async ({ page }) => {
  const log = binary('jumps.xray');
  await choose(page, log);
  await settled(page, 'ready', 'jumps.xray');
  const literal = await digest(page);
  await showCalls(page, 'Functions');
  const uncertain = page.getByRole('note').filter({ hasText: 'Figures are uncertain' });
  await expect(uncertain).toContainText(/no exit of 7.calls/);
  await expect(uncertain.getByRole('button', { name: 'Add the program' })).toBeVisible();
  await choose(page, binary('jumps.elf'));
  await expect(notice(page)).toContainText('The trace was read again: its binary says which calls were left by jumps.');
  await settled(page, 'ready', 'jumps.xray');
  await expect(facts(page)).toContainText(/It names 9.functions/);
  const cut = await digest(page);
  expect(cut).not.toBe(literal);
  await expect(uncertain).toContainText(/no exit of 1.call/);
  await expect(uncertain.getByRole('button')).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove jumps.elf' }).click();
  await expect(notice(page)).toContainText('The trace was read again: its binaries have changed.');
  await settled(page, 'ready', 'jumps.xray');
  expect(await digest(page)).toBe(literal);
  await choose(page, log, binary('jumps.elf'));
  await expect(notice(page)).toContainText('its binary says which calls were left by jumps.');
  await settled(page, 'ready', 'jumps.xray');
  expect(await digest(page)).toBe(cut);
});

test('a wrong program names nothing and says why, unless the person insists', async ({ page }) => {
  await open(page, fixture('threads.xray'));
  await choose(page, binary('program.elf'));
  await expect(notice(page)).toContainText('program.elf: It has 7 functions, but the log has ids up to 16');
  await showCalls(page, 'Functions');
  await expect(functions(page)).toContainText('#7');
  await expect(functions(page)).not.toContainText('program::');
  await facts(page).getByRole('combobox').selectOption('the program');
  await expect(functions(page)).toContainText('program::outer');
  await expect(facts(page)).toContainText('names may be wrong');
  await choose(page, file(fixture('binaries/program.rs'), 'broken.elf'));
  await expect(notice(page)).toContainText('broken.elf');
});

test('two libraries are told apart by the person', async ({ page }) => {
  await open(page, fixture('binaries/libraries.xray'));
  await showCalls(page, 'Functions');
  await choose(page, binary('program.elf'), binary('library.so', 'first.so'), binary('library.so', 'second.so'));
  await expect(functions(page)).toContainText('program::outer');
  await expect(functions(page)).not.toContainText('library_entry');
  await expect(notice(page)).toContainText('choose its object, 1 or 2');
  const row = (name: string) => facts(page).getByRole('listitem').filter({ hasText: name });
  await row('first.so').getByRole('combobox').selectOption('library 1');
  await expect(functions(page)).toContainText('library_entry');
  await expect(functions(page)).toContainText('#33554434');
  await expect(row('second.so')).toContainText(/It names 2.functions/);
  await expect(functions(page)).toContainText('library_entry (#33554434)');
  // Each can be changed.
  await row('second.so').getByRole('combobox').selectOption('library 1');
  await row('first.so').getByRole('combobox').selectOption('library 2');
  await expect(functions(page)).toContainText('library_entry (#16777218)');
});

test('a stripped program takes its names from its debug file, in any order', async ({ page }) => {
  await open(page, fixture('binaries/program.xray'));
  await showCalls(page, 'Functions');
  await choose(page, binary('stripped.elf'));
  await expect(notice(page)).toContainText('their names were stripped');
  await expect(functions(page)).toContainText('#7');
  await choose(page, binary('program.debug'));
  await expect(functions(page)).toContainText('program::middle');
  await expect(facts(page)).toContainText('It has the symbols of stripped.elf.');
  await page.getByRole('button', { name: 'Remove program.debug' }).click();
  await expect(functions(page)).toContainText('#7');
  await page.getByRole('button', { name: 'Remove stripped.elf' }).click();
  await choose(page, binary('program.debug'));
  await expect(facts(page)).toContainText('It has debug information only.');
  await choose(page, binary('stripped.elf'));
  await expect(functions(page)).toContainText('program::middle');
});

test('details of a call have its source and what is inlined in it', async ({ page }) => {
  await choose(page, binary('program.xray'), binary('stripped.elf'), binary('program.debug'));
  await settled(page, 'ready', 'program.xray');
  await page.getByRole('tab', { name: 'Records' }).click();
  await page.getByRole('row').filter({ hasText: 'Area>::area' }).first().click();
  await expect(details(page).getByRole('heading')).toHaveText(
    '<program::shapes::Square as program::shapes::Area>::area',
  );
  await expect(details(page)).toContainText('/src/program.rs:19');
  await expect(details(page)).toContainText('program::shapes::twice');
  await page.getByRole('button', { name: 'Remove program.debug' }).click();
  await expect(details(page)).not.toContainText('program.rs');
});

test('recorded logs are named by the programs that wrote them', async ({ page }) => {
  const corpus = join(import.meta.dirname, '../../../shared/corpus/xray/recorded');
  test.skip(!existsSync(corpus), 'the corpus is missing');
  await choose(page, file(join(corpus, 'fdr-v5-shared-library-ids.xray')), file(join(corpus, 'dso.clang22.elf')));
  await settled(page, 'ready', 'fdr-v5-shared-library-ids.xray');
  await showCalls(page, 'Functions');
  await expect(functions(page)).toContainText('mainLeaf(int)');
  await expect(functions(page)).toContainText('#16777217');
  // The log has one library only.
  await choose(page, file(join(corpus, 'libdso.clang22.so')));
  await expect(functions(page)).toContainText('libLeaf(int)');
  await expect(functions(page)).not.toContainText('#1');
});

test('a program names the addresses of a trace of instructions, at the base that is found or given', async ({
  page,
}) => {
  await open(page, fixture('binaries/program.frames'));
  await showCalls(page, 'Functions');
  await expect(functions(page)).toContainText('0x555555555680');
  const before = await digest(page);
  await choose(page, binary('program.elf'));
  await expect(functions(page)).toContainText('program::leaf');
  await expect(functions(page)).toContainText('0x7ffff7dd3010');
  await expect(functions(page)).not.toContainText('0x555555555680');
  await expect(facts(page)).toContainText('Its base 0x555555554000 is the one that explains most: 7 of the 7');
  expect(await digest(page)).toBe(before);
  const base = facts(page).getByRole('textbox', { name: 'Base' });
  await expect(base).toHaveValue('0x555555554000');
  await base.fill('elsewhere');
  await base.press('Enter');
  await expect(facts(page)).toContainText('Not an address');
  await base.fill('0x555555555000');
  await base.press('Enter');
  await expect(facts(page)).toContainText('Names may be wrong.');
  await expect(functions(page)).toContainText('0x555555555680');
  // Empty: found again.
  await base.fill('');
  await facts(page).getByRole('button', { name: 'Set' }).click();
  await expect(functions(page)).toContainText('program::leaf');
  await expect(base).toHaveValue('0x555555554000');
  await page.getByRole('button', { name: 'Remove program.elf' }).click();
  await expect(functions(page)).toContainText('0x555555555680');
});

test('details of a call in a trace of instructions have its source', async ({ page }) => {
  await choose(page, binary('program.frames'), binary('program.elf'));
  await settled(page, 'ready', 'program.frames');
  await expect(facts(page)).toContainText(/It names 7.addresses/);
  await page.keyboard.press('g');
  const goTo = page.getByRole('combobox', { name: 'Go to a position or a name' });
  await goTo.fill('program::leaf');
  await goTo.press('Enter');
  await expect(details(page).getByRole('heading')).toHaveText('program::leaf');
  await expect(details(page)).toContainText('/src/program.rs:');
});

test('another program names no addresses and says why', async ({ page }) => {
  await open(page, fixture('frames/calls.frames'));
  await choose(page, binary('program.elf'));
  await expect(notice(page)).toContainText('no base explains enough of the');
  await showCalls(page, 'Functions');
  await expect(functions(page)).toContainText('0x401060');
  await expect(functions(page)).not.toContainText('program::');
});

test('short names are shown on request, and searches are for the full ones', async ({ page }) => {
  await choose(page, binary('program.xray'), binary('program.elf'));
  await settled(page, 'ready', 'program.xray');
  await showCalls(page, 'Functions');
  const square = '<program::shapes::Square as program::shapes::Area>::area';
  const area = functions(page).locator(`td[title="${square}"]`);
  await expect(area).toHaveText(square);
  await runCommand(page, 'Show short names of functions');
  await expect(area).toHaveText('area');
  await expect(functions(page)).toContainText('middle');
  await expect(functions(page)).not.toContainText('program::middle');
  // As short ones, these two would be alike.
  await expect(functions(page)).toContainText('program::generic::<u8>');
  await expect(functions(page)).toContainText('program::generic::<u32>');
  await page.locator('#find-field').fill('name:*shapes::Square*');
  await page.keyboard.press('Enter');
  await expect(details(page).getByRole('heading').first()).toHaveText(square);

  // The browser remembers it for other traces, and for functions that have no names yet.
  await page.reload();
  await choose(page, binary('program.xray'));
  await settled(page, 'ready', 'program.xray');
  await showCalls(page, 'Functions');
  const shows = page.getByRole('button', { name: 'What is shown' });
  await expect(functions(page)).toContainText('#7');
  await expect(shows).not.toHaveAttribute('title', /names/);
  await choose(page, binary('program.elf'));
  await expect(area).toHaveText('area');
  await shows.click();
  await page.getByRole('menuitem', { name: 'Show full names of functions' }).click();
  await expect(area).toHaveText(square);
});
