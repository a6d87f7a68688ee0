import { expect, type Page } from '@playwright/test';
import { fixture, open, pictured, settled, test } from './page.ts';

/** Roles that say nothing without a name. */
const NAMED = ['button', 'tab', 'radio', 'checkbox', 'combobox', 'grid', 'list', 'img', 'region', 'separator', 'group'];

/** Opens a fixture, and waits until nothing more comes. */
async function shown(page: Page, path: string): Promise<void> {
  await open(page, fixture(path));
  await pictured(page);
  await expect(page.locator('.start-here button').first()).toBeEnabled();
  await expect(page.locator('.dock-panel [role=row], .dock-panel tr').nth(1)).toBeVisible();
}

/** The lines of the tree that a reader has, whose elements have no name although they need one. */
async function unnamed(page: Page): Promise<string[]> {
  const lines = (await page.locator('body').ariaSnapshot()).split('\n').map((line) => line.trim());
  // The lists of samples and questions are what their headings say.
  return lines.filter((line) => NAMED.some((role) => new RegExp(`^- ${role}:?$`).test(line) && role !== 'list'));
}

test('the page without a trace says what it opens', { tag: '@aria' }, async ({ page }) => {
  await settled(page, 'empty');
  await expect(page.locator('body')).toMatchAriaSnapshot(`
    - banner:
      - text: Unspool
      - button "Help"
      - button /Theme/
    - main:
      - region "Open a trace":
        - heading "Drop a trace anywhere on this page" [level=1]
        - paragraph:
          - button "Open a trace"
      - region "Supported formats, with samples":
        - heading "Supported formats, with samples" [level=2]
        - list:
          - listitem:
            - heading "LLVM XRay logs" [level=3]
            - list "Samples of LLVM XRay logs"
          - listitem:
            - heading "apitrace traces" [level=3]
            - list "Samples of apitrace traces"
          - listitem:
            - heading "BAP frames" [level=3]
            - list "Samples of BAP frames"
          - listitem:
            - heading "trace-db traces" [level=3]
            - list "Samples of trace-db traces"
          - listitem:
            - heading "REVEN block traces" [level=3]
            - list "Samples of REVEN block traces"
  `);
  expect(await unnamed(page)).toEqual([]);
});

test('an XRay log reads as tracks, functions and questions', { tag: '@aria' }, async ({ page }) => {
  await shown(page, 'threads.xray');
  await expect(page.locator('body')).toMatchAriaSnapshot(`
    - banner:
      - heading "threads.xray" [level=1]
      - text: /XRay FDR 5/
      - button "2 minor problems"
      - search "Search":
        - combobox "Search"
      - button "Export"
      - button "Notes"
      - button "Open…"
      - button "Help"
      - button /Theme/
    - main:
      - button "Filter tracks"
      - img /Overview of the whole trace/
      - list "Tracks":
        - listitem:
          - text: process 4711
          - button "Fold process 4711" [expanded]
        - listitem:
          - text: main thread 4711
          - button "Fold main thread 4711" [expanded]
          - text: 3 calls
      - application "Timeline of threads.xray"
      - separator "Width of the track names"
      - region "Panels":
        - separator "Height of the panels"
        - tablist "Panels":
          - tab "Functions" [selected]
          - tab "Records"
          - tab "SQL"
        - combobox "Threads"
        - button "Fold the panels" [expanded]
        - tabpanel "Functions":
          - radiogroup "View":
            - radio "Functions" [checked]
            - radio "Tree"
            - radio "Flame"
            - radio "Stacks"
            - radio "Graph"
          - combobox "Filter functions"
          - status "16 functions, 513 calls"
          - grid "Functions"
    - complementary "Trace":
      - region "Start here":
        - heading "Start here" [level=2]
        - list:
          - listitem:
            - button "Add the program for names"
          - listitem:
            - button /^Why is the longest call of .6 slow\\? 76\\.02/
          - listitem:
            - button /^Which functions cost the most\\? .8/
          - listitem:
            - button /^Where are records missing\\?/
          - listitem:
            - button "On which call paths is the time spent?"
      - heading "threads.xray" [level=2]
  `);
  expect(await unnamed(page)).toEqual([]);
});

test('an apitrace reads as frames, with their panes', { tag: '@aria' }, async ({ page }) => {
  await shown(page, 'scene.trace');
  await expect(page.locator('body')).toMatchAriaSnapshot(`
    - banner:
      - heading "scene.trace" [level=1]
      - search "Search"
      - button "Findings"
    - main:
      - list "Tracks":
        - listitem:
          - text: frames
          - button "Fold frames" [expanded]
      - application "Timeline of scene.trace"
      - region "Panels":
        - tablist "Panels":
          - tab "Frames" [selected]
          - tab "Calls"
          - tab "Resources"
          - tab "Functions"
          - tab "SQL"
        - tabpanel "Frames":
          - text: /^13 frames, 0–12/
          - button /^draws. frame 4/
          - radiogroup "Calls of opened frames":
            - radio "Draws" [checked]
            - radio "All calls"
            - radio "Redundant"
          - grid "Frames":
            - rowgroup:
              - row:
                - columnheader "Frame":
                  - button "Frame"
                - columnheader "Calls":
                  - button "Calls"
            - rowgroup:
              - row /^Open frame 0 0 41 8 1/
    - complementary "Trace":
      - tablist "About the selection":
        - tab "Details" [selected]
        - tab "Picture"
        - tab "State"
      - region "Picture of the trace"
      - region "Start here":
        - list:
          - listitem:
            - button "Which frame is the heaviest? frame 4, 12 draws"
  `);
  expect(await unnamed(page)).toEqual([]);
});

test('BAP frames read as steps, and ways through them', { tag: '@aria' }, async ({ page }) => {
  await shown(page, 'frames/calls.frames');
  await expect(page.locator('body')).toMatchAriaSnapshot(`
    - main:
      - list "Tracks"
      - application "Timeline of calls.frames"
      - region "Panels":
        - tablist "Panels":
          - tab "Steps" [selected]
          - tab "Functions"
          - tab "Coverage"
          - tab "SQL"
        - tabpanel "Steps":
          - combobox "Filter frames"
          - status: 120 frames
          - group "Walk through the steps":
            - button "Step over backwards"
            - button "Step over"
            - button "Step into backwards"
            - button "Step into"
            - combobox "What to go to"
            - combobox "Steps to walk through"
          - button "Fold loops"
          - grid "Steps":
            - rowgroup:
              - row "Step Thread Address Instruction Read Written Other"
            - rowgroup:
              - row /^5 thread 1 0x401021 mov rbp, rsp/
    - complementary "Trace":
      - tablist "About the selection":
        - tab "Details" [selected]
        - tab "State"
      - region "Start here":
        - list:
          - listitem:
            - button "Which code ran?"
          - listitem:
            - button "Which system calls are there?"
  `);
  expect(await unnamed(page)).toEqual([]);
});

test('a trace-db trace reads as values and statements', { tag: '@aria' }, async ({ page }) => {
  await shown(page, 'trace_db/variables.trace');
  await expect(page.locator('body')).toMatchAriaSnapshot(`
    - main:
      - list "Tracks":
        - listitem:
          - text: file 1
      - application "Timeline of variables.trace"
      - region "Panels":
        - tablist "Panels":
          - tab "Statements" [selected]
          - tab "Variables"
          - tab "Points"
          - tab "Lifetimes"
          - tab "SQL"
        - tabpanel "Statements":
          - text: 11 statements, 79 points
          - grid "Statements":
            - rowgroup:
              - row "File Index Count First Last Over time"
            - rowgroup:
              - row "1 31 36 4 48"
    - complementary "Trace":
      - region "Start here":
        - list:
          - listitem:
            - button "How do values change over time?"
  `);
  expect(await unnamed(page)).toEqual([]);
});

test('a REVEN trace reads as calls and steps', { tag: '@aria' }, async ({ page }) => {
  await shown(page, 'rvn/blocks.sqlite');
  await expect(page.locator('body')).toMatchAriaSnapshot(`
    - main:
      - list "Tracks":
        - listitem:
          - text: user and kernel
      - application "Timeline of blocks.sqlite"
      - region "Panels":
        - tablist "Panels":
          - tab "Steps" [selected]
          - tab "Functions"
          - tab "Coverage"
          - tab "SQL"
        - tabpanel "Steps":
          - grid "Steps":
            - rowgroup:
              - row "Transition Address Instruction Mode Block Other"
            - rowgroup:
              - row /^1 0x1001 call 0x2000 64 bit 2/
    - complementary "Trace":
      - region "Start here":
        - list:
          - listitem:
            - button "Which code ran?"
  `);
  expect(await unnamed(page)).toEqual([]);
});
