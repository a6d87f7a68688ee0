import { effect, signal, untracked } from '@preact/signals';
import { formatBytes, shortened } from '../base/format.ts';
import { copyText } from './copy.ts';
import { addressOf } from './download.ts';
import { differs, follow, type Link, linkOf, parseLink } from './link.ts';
import type { Page } from './page.ts';

/** Characters of a file's name in a notice. */
const LONGEST = 100;

/** Shows the view that the address is a link to, now or when that changes: once its file is open. Lives as long as the page. */
export function followAddress(page: Page): void {
  const { workbench, dock } = page;
  const waiting = signal<Link | null>(null);
  const read = () => {
    const link = parseLink(location.hash);
    waiting.value = link;
    if (!link || workbench.bench.peek().at !== 'empty') return;
    if (new URLSearchParams(location.search).has('url')) return;
    workbench.tell(`This link shows a place in ${named(link)}. Open that file to see it.`);
  };
  window.addEventListener('hashchange', read);
  effect(() => {
    const bench = workbench.bench.value;
    const link = waiting.value;
    if (!link || bench.at !== 'open') return;
    const { trace, memory, timeline } = bench.open;
    const identity = memory.identity.value;
    if (!identity || trace.status.value.at !== 'ready' || !timeline.view.value) return;
    waiting.value = null;
    untracked(() => {
      const why = differs(link, identity);
      if (why === '') void follow(link, bench.open, dock);
      else workbench.warn(`This link belongs to another file, ${named(link)}: ${why}.`);
    });
  });
  read();
}

function named({ file }: Link): string {
  const name = shortened(file.name, LONGEST);
  return file.size === null ? name : `${name} (${formatBytes(file.size)})`;
}

/** Copies a link to what is shown. */
export function copyLink(page: Page): void {
  const { workbench, dock } = page;
  const bench = workbench.bench.peek();
  const fragment = bench.at === 'open' ? linkOf(bench.open, dock) : null;
  if (bench.at !== 'open' || fragment === null) return;
  const address = new URL(location.href);
  const url = address.searchParams.get('url');
  // Another file may have been opened since.
  const isOfAddress = url !== null && nameAt(url) === bench.open.trace.name;
  address.search = isOfAddress ? `?${new URLSearchParams({ url })}` : '';
  address.hash = fragment;
  copyText(page, address.href);
  workbench.tell(
    isOfAddress
      ? 'Copied a link to this view.'
      : 'Copied a link to this view. The link does not contain the file: recipients need it as well.',
  );
}

/** The name of the file at an address; null if it is not one. */
function nameAt(url: string): string | null {
  try {
    return addressOf(url, location.href).name;
  } catch {
    return null;
  }
}
