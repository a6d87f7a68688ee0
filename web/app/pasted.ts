import { parseAddress } from '../base/address.ts';
import type { Workbench } from '../page/workbench.ts';

/** What a pasted text asks for. */
export type Pasted =
  /** A view of the open trace, or of one that is still to come: the fragment of a link. */
  | { readonly at: 'view'; readonly fragment: string }
  /** A file to download, and the fragment of the link to a view of it, or ''. */
  | { readonly at: 'address'; readonly url: string; readonly fragment: string }
  /** The text is itself a trace. */
  | { readonly at: 'trace' }
  /** An address, but not that of a file. */
  | { readonly at: 'other'; readonly host: string };

/** Endings of addresses that are pages rather than files. */
const PAGES = /\.(?:html?|php|aspx?|jsp)$/i;
/** The beginning of llvm-xray's YAML, the format that is a text. */
const YAML = /^---\s*\r?\n\s*header:/;

/** Opens or shows what a text asks for. Says so of any other text. */
export function followPasted(text: string, workbench: Pick<Workbench, 'openFiles' | 'tell'>): void {
  const pasted = pastedIn(text, location.href);
  if (pasted?.at === 'view') location.hash = pasted.fragment;
  else if (pasted?.at === 'address') location.assign(addressFor(pasted, location.href));
  else if (pasted?.at === 'trace') void workbench.openFiles([new File([text], 'pasted.yaml')]);
  else if (pasted?.at === 'other') {
    workbench.tell(`The address on ${pasted.host} does not look like that of a trace. Paste the address of a file.`);
  } else workbench.tell('The pasted text is neither the address of a trace nor YAML of llvm-xray. Open it as a file.');
}

/** What a text asks for that was pasted into the page at `page`; null for nothing that the page understands. */
export function pastedIn(text: string, page: string): Pasted | null {
  if (YAML.test(text)) return { at: 'trace' };
  const trimmed = text.trim();
  const address = /^https?:\/\/\S+$/i.test(trimmed) ? parseAddress(trimmed, page) : null;
  if (!address) return null;
  const { hash, host, pathname, searchParams } = address;
  const here = new URL(page);
  const fragment = new URLSearchParams(hash.slice(1)).has('unspool') ? hash : '';
  const isOwn = fragment !== '' || (address.origin === here.origin && pathname === here.pathname);
  const url = isOwn ? searchParams.get('url') : null;
  // The address of a file may be relative to the page of the link.
  if (url !== null) return { at: 'address', url: parseAddress(url, address.href)?.href ?? url, fragment };
  if (fragment !== '') return { at: 'view', fragment };
  const name = pathname.slice(pathname.lastIndexOf('/') + 1);
  const isFile = !isOwn && name.includes('.') && !PAGES.test(name);
  return isFile ? { at: 'address', url: address.href, fragment: '' } : { at: 'other', host };
}

/**
 * The address of this page with a file to download. It is opened as a link is: what the page may connect to is decided when it is loaded,
 * and a trace that is costly is not left without a question.
 */
export function addressFor({ url, fragment }: Extract<Pasted, { at: 'address' }>, page: string): string {
  const address = new URL(page);
  address.search = `?${new URLSearchParams({ url })}`;
  address.hash = fragment;
  return address.href;
}
