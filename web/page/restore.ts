import { effect } from '@preact/signals';
import type { Copy } from '../base/copies_protocol.ts';
import type { Source } from './awaited.ts';
import type { Link } from './link.ts';
import type { Page } from './page.ts';
import type { RecentFile } from './recent.ts';

/** What says that a file is being opened by itself. It stays if that ends the page. */
const MARK = 'unspool:restoring';

/**
 * Looks for the file of the view that is awaited. If that was on the screen before the page was loaded again, the file is opened,
 * unless the browser has to ask the user, or the page has ended at the last attempt.
 */
export async function restore(page: Page): Promise<void> {
  const { awaited, workbench } = page;
  const now = awaited.peek();
  if (!now) return;
  const source = await sourceOf(now.link, page);
  const isWaiting = () => awaited.peek()?.link === now.link && workbench.bench.peek().at === 'empty';
  if (!isWaiting()) return;
  if (now.isOwn && source?.isGranted && !hasEnded(page)) {
    const files = await source.open();
    if (!isWaiting()) return;
    if (files) return workbench.openFiles(files);
    awaited.value = { ...now, source: null };
  } else awaited.value = { ...now, source };
}

/** Where the browser has the file of a link; null if it does not. */
export async function sourceOf({ file }: Pick<Link, 'file'>, { recent, copies }: Page): Promise<Source | null> {
  // A trace of an archive is in the file before that sign.
  const [name] = file.name.split(' › ');
  const of = <T extends { readonly name: string; readonly size: number }>(list: readonly T[]) => {
    const named = list.filter((it) => it.name === name);
    return named.find(({ size }) => size === file.size) ?? named[0] ?? null;
  };
  await copies.load();
  const copy: Copy | null = of(copies.list.peek());
  if (copy) return { isGranted: true, open: () => copies.open(copy) };
  await recent.load();
  const entry: RecentFile | null = of(recent.files.peek().flatMap((it) => (it.other ? [it, it.other] : [it])));
  return entry && { isGranted: await recent.isGranted(entry), open: () => recent.open(entry) };
}

/** Whether the last attempt has ended the page. Marks that there is one, until the trace is there. */
function hasEnded({ workbench }: Page): boolean {
  try {
    const has = sessionStorage.getItem(MARK) !== null;
    if (has) {
      sessionStorage.removeItem(MARK);
      return true;
    }
    sessionStorage.setItem(MARK, '');
  } catch {
    // Without a storage, it is not known.
    return false;
  }
  const stop = effect(() => {
    const state = workbench.state.value;
    if (state === 'empty' || state === 'loading') return;
    sessionStorage.removeItem(MARK);
    queueMicrotask(() => stop());
  });
  return false;
}
