import { useSignal } from '@preact/signals';
import { formatBytes, formatCounted, shortened } from '../../base/format.ts';
import { clearAddress } from '../../page/address.ts';
import type { Awaited, Source } from '../../page/awaited.ts';
import type { Link } from '../../page/link.ts';
import type { Page } from '../../page/page.ts';
import { canKeep } from '../keep/can_keep.ts';
import './awaited.css';

/** Characters of a search in a sentence. */
const LONGEST_SEARCH = 40;

interface Props {
  readonly page: Page;
  readonly awaited: Awaited;
  readonly choose: () => void;
}

/** The file that a link waits for, or that was open before the page was loaded again, as the main words of the page. */
export function AwaitedFile({ page, awaited, choose }: Props) {
  const { link, isOwn, source } = awaited;
  const isGone = useSignal(false);
  const { other } = link;
  const name = shortened(link.file.name);
  const both = other ? `${name} and ${shortened(other.link.file.name)}` : name;
  const size = link.file.size === null || other ? '' : formatBytes(link.file.size);
  const open = async ({ open }: Source) => {
    page.workbench.warm();
    const files = await open();
    if (files) await page.workbench.openFiles(files);
    else isGone.value = true;
  };
  const forget = () => {
    page.awaited.value = null;
    clearAddress();
  };
  const it = other ? 'them' : 'it';
  const found = isGone.value ? null : (source ?? null);
  return (
    <section class="awaited" aria-labelledby="awaited">
      <h1 id="awaited">
        {isOwn
          ? `${size === '' ? both : `${name}, ${size},`} ${other ? 'were' : 'was'} open here`
          : `This link leads to ${both}`}
      </h1>
      {!isOwn && (
        <p class="muted">
          It shows {shownBy(link)}. The link does not contain the file{other && 's'}
          {size === '' ? '' : ` (${size})`}.
        </p>
      )}
      <div class="awaited-drop row wrap">
        {found ? (
          <button type="button" class="primary" onClick={() => void open(found)}>
            Open {name}
            {isOwn && ' again'}
          </button>
        ) : (
          <>
            <span>{isOwn ? `Drop ${it} here, or` : `Drop ${both} here, or`}</span>
            <button type="button" class="primary" onClick={choose} onFocus={page.workbench.warm}>
              {isOwn ? `Choose ${it} again` : `Choose ${it}`}
            </button>
          </>
        )}
        <button type="button" class="plain" onClick={forget}>
          Forget it
        </button>
      </div>
      {isGone.value && (
        <p role="alert">{name} could not be read: it was moved or deleted, or access was denied. Choose it again.</p>
      )}
      {isOwn && !found && canKeep() && (
        <p class="muted small">
          While a file is open, <i>Keep a copy in this browser</i> in the menu Export makes it come back by itself.
        </p>
      )}
    </section>
  );
}

/** What a link shows, as the object of a sentence. */
export function shownBy({
  view,
  range,
  place,
  find,
  functions,
  events,
  filter,
  values,
  notes,
  callPaths,
}: Link): string {
  const isFiltered = functions !== '' || events !== '' || filter !== '' || values !== null;
  const parts = [
    view && 'a part of it',
    range && 'a range',
    place && 'a selection',
    find !== '' && `a search for “${shortened(find, LONGEST_SEARCH)}”`,
    isFiltered && 'filters',
    (callPaths.changes.length > 0 || callPaths.flame) && 'call paths',
    notes.length > 0 && formatCounted(notes.length, 'note'),
  ].filter((part) => typeof part === 'string');
  const last = parts.pop();
  if (last === undefined) return 'all of it';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}
