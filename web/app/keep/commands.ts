import type { Copy } from '../../base/copies_protocol.ts';
import type { Command, Page } from '../../page/page.ts';
import { senderOf } from '../senders.ts';
import { canKeep } from './can_keep.ts';

const loadKeep = async () => (await import('./dialog.tsx')).KeepDialog;

/** Copies of the open file in this browser. */
export const KEEP_COMMANDS: readonly Command[] = [
  {
    id: 'keep-copy',
    title: 'Keep a copy in this browser',
    keys: [],
    enabled: ({ page }) => isOffered(page),
    run: ({ page: { dialog } }) => {
      dialog.value = loadKeep;
    },
  },
  {
    id: 'delete-copy',
    title: 'Delete the copy in this browser',
    keys: [],
    enabled: ({ page }) => copyOfOpen(page) !== null,
    run: ({ page }) => {
      const copy = copyOfOpen(page);
      if (!copy) return;
      void page.copies.remove(copy);
      page.workbench.tell(`The copy of ${copy.name} was deleted.`);
    },
  },
];

/** The copy of the open file; null if there is none. */
function copyOfOpen({ workbench, copies }: Page): Copy | null {
  const bench = workbench.bench.peek();
  if (bench.at !== 'open') return null;
  const { name, size } = bench.open.trace;
  return copies.list.peek().find((copy) => copy.name === name && copy.size === size) ?? null;
}

/** Whether a copy would be of use: the file is read, and the browser has no other way to open it again. */
function isOffered(page: Page): boolean {
  const bench = page.workbench.bench.peek();
  if (bench.at !== 'open' || bench.open.trace.status.peek().at !== 'ready' || !canKeep()) return false;
  const { file } = bench.open;
  const comesBack =
    page.recent.handleOf(file) !== null || page.workbench.urlOf(file) !== null || senderOf(file) !== null;
  return !comesBack && copyOfOpen(page) === null;
}
