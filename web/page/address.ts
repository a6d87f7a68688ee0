import { effect, untracked } from '@preact/signals';
import { formatBytes, shortened } from '../base/format.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import type { Awaited } from './awaited.ts';
import { copyText } from './copy.ts';
import { differs, follow, type Link, linkOf, parseLink } from './link.ts';
import { bringOther, missing } from './other.ts';
import type { Page, Surface } from './page.ts';
import { restore } from './restore.ts';

/** Characters of a file's name in a notice. */
const LONGEST = 100;

/** The addresses that files are downloaded from, in that of the page. */
const ADDRESSES = { url: 'a', with: 'b' } as const;

/** What an entry of the browser's history has if the page itself wrote its address. */
interface OwnEntry {
  readonly live: true;
}

/**
 * Shows the view that the address is a link to: `hash` now, and later ones when the address changes. Once its file is open. `state`
 * is that of the browser's history. Until disposed.
 */
export function followAddress(page: Page, hash: string, state: unknown): Dispose {
  const { workbench, dock, awaited } = page;
  const scope = createScope();
  /** The link is the one that the page was loaded with. */
  let isFirst = true;
  let followed: Awaited | null = null;
  let missed: Awaited | null = null;
  const wait = (fragment: string, isOwn: boolean) => {
    const link = parseLink(fragment);
    const search = new URLSearchParams(location.search);
    const hasAddress = search.has('url') || search.has('open');
    awaited.value = link && { link, isOwn, source: hasAddress ? null : undefined };
    // With an address, the file is on its way.
    if (link && !hasAddress) void restore(page);
  };
  scope.listen(window, 'hashchange', () => {
    // Going back and forward, the history itself shows the place.
    if (isOwn(history.state)) return;
    isFirst = false;
    wait(location.hash, false);
  });
  const stop = effect(() => {
    const bench = workbench.bench.value;
    const now = awaited.value;
    if (!now || now === followed || bench.at !== 'open') return;
    const pair = workbench.pair.value;
    const open = pair?.a ?? bench.open;
    const { trace, memory, timeline } = open;
    const identity = memory.identity.value;
    if (!identity || trace.status.value.at !== 'ready' || !timeline.view.value) return;
    const { other } = now.link;
    // The files of a pair may come in another order.
    if (other && differs(now.link, identity) !== '' && differs(other.link, identity) === '') {
      untracked(() => (pair ? pair.swap() : missFirst(now, open)));
      return;
    }
    followed = now;
    untracked(() => {
      // The address stays until all of it is shown.
      const end = () => {
        if (awaited.peek() === now) awaited.value = null;
      };
      const why = differs(now.link, identity);
      if (why === '') {
        void show(now, open).finally(end);
        return;
      }
      end();
      // What was open before is no longer of interest once the user opens something else.
      if (!now.isOwn) workbench.warn(`This link belongs to another file, ${nameIn(now.link)}: ${why}.`);
    });
  });
  /** Of two files, only the second one is open: what of the first one is missing is said once. */
  const missFirst = (now: Awaited, open: OpenTrace) => {
    if (missed === now) return;
    missed = now;
    workbench.warn(missing(shortened(now.link.file.name, LONGEST), shortened(open.trace.name, LONGEST)));
  };
  const show = async ({ link, isOwn }: Awaited, open: OpenTrace) => {
    const surface = page.surface.peek();
    const isBeginning = isFirst;
    const shown = follow(link, open, dock).then(() => (surface ? scrollTo(link, surface) : undefined));
    // What the page begins with is not something that the user has done.
    if (isBeginning) surface?.visits.joins(shown);
    await shown;
    if (isBeginning) surface?.undo.forget();
    const absent = link.companions.filter((name) => !open.trace.companions.peek().some((file) => file.name === name));
    if (absent.length > 0 && !isOwn) {
      const names = absent.map((name) => shortened(name, LONGEST)).join(', ');
      workbench.tell(`This link was made with ${names} added to the trace. Add it to see the same names.`);
    }
    if (link.other) await bringOther(link.other, open, page, isOwn);
  };
  scope.add(stop);
  wait(hash, isOwn(state));
  return scope.dispose;
}

/** Scrolls the tracks as in a link, once what it has chosen about them is on the screen. */
async function scrollTo({ top }: Link, { open, scrollBy }: Surface): Promise<void> {
  if (top === null) return;
  for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  scrollBy(top - open.timeline.scrollTop.peek());
}

/** The name and the size of the file of a link. */
export function nameIn({ file }: Link): string {
  const name = shortened(file.name, LONGEST);
  return file.size === null ? name : `${name} (${formatBytes(file.size)})`;
}

/** Whether an entry of the browser's history is one of the page, rather than of a link that was followed. */
function isOwn(state: unknown): boolean {
  return typeof state === 'object' && state !== null && ('live' in state || 'entry' in state);
}

/** Copies a link to what is shown. */
export function copyLink(page: Page): void {
  const { workbench } = page;
  const bench = workbench.bench.peek();
  const address = bench.at === 'open' ? addressOfView(bench.open, page, true) : null;
  if (bench.at !== 'open' || !address) return;
  // Of what else is in the address, nothing is of use to others.
  const addresses = new URLSearchParams([...address.searchParams].filter(([key]) => key in ADDRESSES));
  address.search = addresses.size === 0 ? '' : `?${addresses}`;
  copyText(page, address.href);
  const pair = bench.open.pair.peek();
  const isWhole = addresses.size === (pair ? 2 : 1);
  const files = pair ? 'the files: recipients need them' : 'the file: recipients need it';
  workbench.tell(`Copied a link to this view.${isWhole ? '' : ` The link does not contain ${files} as well.`}`);
}

/**
 * Writes the view of the open trace into the address, in place of the one before. Notes are not a part of it: they are long, and
 * browsers send the addresses that they remember to other devices of the user. What is remembered of the file has them.
 */
export function writeAddress(open: OpenTrace, page: Page): void {
  const address = addressOfView(open, page, false);
  if (!address || address.href === location.href) return;
  const state: OwnEntry = { ...(history.state as object | null), live: true };
  write(() => history.replaceState(state, '', address.href));
}

/** Removes the view from the address: it is not that of the open trace. */
export function clearAddress(): void {
  const address = new URL(location.href);
  address.hash = '';
  if (parseLink(location.hash)) write(() => history.replaceState(history.state, '', address.href));
}

/** The address of the page with the view of a trace; null until the beginning of its file was read. */
function addressOfView(open: OpenTrace, page: Page, withNotes: boolean): URL | null {
  const fragment = linkOf(open, page.dock, withNotes);
  if (fragment === null) return null;
  const address = new URL(location.href);
  address.hash = fragment;
  // Another file may have been opened since.
  const pair = open.pair.peek();
  for (const [key, of] of Object.entries(ADDRESSES)) {
    const one = pair ? pair[of] : of === 'a' ? open : null;
    const url = one && page.workbench.urlOf(one.file);
    if (url === null) address.searchParams.delete(key);
    else address.searchParams.set(key, url);
  }
  return address;
}

/** Browsers refuse too many changes at once. The next change of the view writes the address again. */
function write(change: () => void): void {
  try {
    change();
  } catch {
    // The address is that of an earlier view.
  }
}
