import { expect, it } from 'vitest';
import type { TreeRow } from './call_tree.ts';
import { createTreeModel } from './tree_model.ts';

/** The open rows of a question, as names below numbers. */
const opened = (tree: ReturnType<typeof createTreeModel>) => {
  const { parents, names, inverted, everything } = tree.rowsAsked.value;
  return { open: Array.from(parents, (parent, i) => `${parent} ${names[i]}`), inverted, everything };
};

it('keeps what is open in each direction', () => {
  const tree = createTreeModel('total');
  tree.openAll(['4', '4 7']);
  tree.inverted.value = true;
  expect(opened(tree)).toEqual({ open: [], inverted: true, everything: null });
  tree.open('9');
  tree.inverted.value = false;
  expect(opened(tree).open).toEqual(['0 4', '1 7']);
  tree.close('4');
  // What is below a closed row shows again once that is open.
  expect(opened(tree).open).toEqual([]);
  tree.open('4');
  expect(opened(tree).open).toEqual(['0 4', '1 7']);
  tree.row.value = '4 7';
  tree.closeAll();
  expect([opened(tree).open, tree.row.value]).toEqual([[], '4']);
});

it('opens everything below a row until the rows say what that was', () => {
  const tree = createTreeModel('change');
  tree.openEverything('4');
  expect(opened(tree)).toEqual({ open: ['0 4'], inverted: false, everything: 1 });
  const row = (key: string, state: TreeRow['state']): TreeRow => ({
    key,
    state,
    index: 0,
    level: 1,
    position: 1,
    siblings: 1,
  });
  tree.tookEverything([row('4', 'open'), row('4 7', 'open'), row('4 8', 'leaf')]);
  expect(opened(tree)).toEqual({ open: ['0 4', '1 7'], inverted: false, everything: null });
});

it('opens the way to a path', () => {
  const tree = createTreeModel('total');
  tree.inverted.value = true;
  tree.openTo([1, 2, 3]);
  expect(opened(tree)).toEqual({ open: ['0 1', '1 2'], inverted: false, everything: null });
  expect([tree.row.value, tree.sought.value]).toEqual(['1 2 3', true]);
});
