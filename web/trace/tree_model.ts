import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { TreeView } from '../base/calls_protocol.ts';
import { pathKey, type TreeRow, type TreeSort, treeView } from './call_tree.ts';

/** Which rows of a call tree are open, and which one is the current one. */
export interface TreeModel {
  /** The tree is from functions to callers. */
  readonly inverted: Signal<boolean>;
  readonly sort: Signal<TreeSort>;
  /** Key of the current row of the tree; '' for none. */
  readonly row: Signal<string>;
  /** The current row of the tree is to be brought into view once it is there. */
  readonly sought: Signal<boolean>;
  /** The question for the rows. */
  readonly rowsAsked: ReadonlySignal<TreeView>;
  open(key: string): void;
  close(key: string): void;
  /** Opens rows, or everything below one of them, as far as rows allow: '' for the whole tree. */
  openAll(keys: readonly string[]): void;
  openEverything(key: string): void;
  closeAll(): void;
  /** Takes the rows that answer {@link TreeModel.openEverything}: they say what that was. */
  tookEverything(rows: readonly TreeRow[]): void;
  /** Opens the tree, from outermost calls, up to a path, which becomes its current row. */
  openTo(path: readonly number[]): void;
}

/** A tree from outermost calls, all of whose rows are closed. */
export function createTreeModel(by: string): TreeModel {
  const inverted = signal(false);
  const sort = signal<TreeSort>({ by, descending: true });
  const row = signal('');
  const sought = signal(false);
  const opened = signal<{ readonly down: ReadonlySet<string>; readonly up: ReadonlySet<string> }>({
    down: new Set(),
    up: new Set(),
  });
  const everything = signal<string | null>(null);
  const openRows = computed(() => (inverted.value ? opened.value.up : opened.value.down));
  const setOpen = (next: ReadonlySet<string>) => {
    opened.value = inverted.peek() ? { ...opened.peek(), up: next } : { ...opened.peek(), down: next };
  };
  return {
    inverted,
    sort,
    row,
    sought,
    rowsAsked: computed(() => treeView(inverted.value, openRows.value, everything.value)),
    open: (key) => setOpen(new Set([...openRows.peek(), key])),
    close: (key) => {
      const next = new Set(openRows.peek());
      next.delete(key);
      setOpen(next);
    },
    openAll: (keys) => setOpen(new Set([...openRows.peek(), ...keys])),
    openEverything: (key) => {
      batch(() => {
        // The rows above it are open: it is on the screen.
        if (key !== '') setOpen(new Set([...openRows.peek(), key]));
        everything.value = key;
      });
    },
    closeAll: () => {
      batch(() => {
        setOpen(new Set());
        row.value = row.peek().split(' ')[0]!;
      });
    },
    tookEverything: (rows) => {
      const open = rows.filter(({ state }) => state === 'open');
      batch(() => {
        setOpen(new Set([...openRows.peek(), ...open.map(({ key }) => key)]));
        everything.value = null;
      });
    },
    openTo: (path) => {
      batch(() => {
        inverted.value = false;
        const keys = path.map((_, depth) => pathKey(path.slice(0, depth + 1)));
        setOpen(new Set([...opened.peek().down, ...keys.slice(0, -1)]));
        row.value = keys.at(-1) ?? '';
        sought.value = true;
      });
    },
  };
}
