import { expect, it, onTestFinished, vi } from 'vitest';
import { mountInNode } from '../../../tests/engine.ts';
import { pictureView } from '../../features/pictures/picture_view.ts';
import { contextOf } from '../../page/commands.ts';
import { FUNCTIONS } from '../../page/dock.ts';
import type { SearchMode } from '../../page/page.ts';
import { loadStarts } from '../../page/starts.ts';
import { rowsFor } from './rows.ts';

/** The rows of what is typed over a scene of OpenGL calls. */
async function scene() {
  onTestFinished(vi.dynamicImportSettled);
  const { open, page } = await mountInNode('apitrace/scene.trace');
  const starts = await loadStarts(page);
  const rows = (text: string, mode: SearchMode) =>
    rowsFor({
      ...{ mode, text, open, page, starts },
      ...{ caret: text.length, context: contextOf(page), recent: [], variables: [], places: [] },
    });
  return { open, page, rows };
}

it('finds what can be done, and panels by what they are about', async () => {
  const { rows } = await scene();
  for (const [text, title] of [
    ['mesh', 'Show mesh of the selected draw'],
    ['leak', 'What is never deleted?'],
    ['overdraw', 'Show overdraw in the picture'],
    ['wireframe', 'Show wireframe in the picture'],
    ['depth', 'Show depth in the picture'],
    ['sandwich', 'Show Functions'],
    ['histogram', 'Show Functions'],
    ['flame', 'Show the flame graph (icicle)'],
    ['export', 'Export'],
    ['png', 'Export'],
    ['theme', 'Theme: dark'],
    ['bookmark', 'Add a note at the selection or the pointer'],
  ] as const) {
    for (const mode of ['commands', 'all'] as const) {
      expect(
        rows(text, mode).map((row) => row.title),
        `${text} among ${mode}`,
      ).toContain(title);
    }
  }
});

it('shows what it found', async () => {
  const { open, page, rows } = await scene();
  const run = (text: string, id: string) =>
    rows(text, 'commands')
      .find((row) => row.id === id)
      ?.run?.();
  run('wireframe', 'picture wireframe');
  expect([page.dock.pane.value, pictureView(open).value]).toEqual(['picture', 'wireframe']);
  run('flame', 'view flame');
  const format = open.trace.info.value?.format ?? '';
  expect([page.dock.front.value[format], page.dock.calls.value[format]]).toEqual([FUNCTIONS, 'flame']);
  const choice = page.theme.choice.value;
  run('theme', 'theme');
  expect(page.theme.choice.value).not.toBe(choice);
});

it('leads to a resource by its kind and name', async () => {
  const { page, rows } = await scene();
  rows('texture 1', 'all')
    .find(({ title }) => title === 'Show texture 1')
    ?.run?.();
  expect(page.dock.front.value['apitrace']).toBe('resources');
  expect(rows('thread 1', 'all').some(({ title }) => title.startsWith('Show thread'))).toBe(false);
});
