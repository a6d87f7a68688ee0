import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { CommandContext, Page } from '../../page/page.ts';
import { labelsOf } from '../../parts/chord.ts';
import { movedBy } from '../../parts/picking.ts';
import { type Entry, entriesFor } from './entries.ts';
import { recentChoices, rememberChoice } from './ranking.ts';
import './palette.css';

/** Rows that Page Up and Page Down move by. */
const PAGE = 8;

interface Props {
  readonly page: Page;
  /** What commands act on, as it was when the palette was opened. */
  readonly context: CommandContext;
  readonly close: () => void;
}

/** All commands, panels and tracks in one list with a field to search in it, as a modal dialog. */
export function Palette({ page, context, close }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const query = useSignal('');
  const marked = useSignal(0);
  const recent = useMemo(recentChoices, []);
  const found = useComputed(() => entriesFor(query.value, recent, page, context));
  const entries = found.value;
  useEffect(() => dialog.current?.showModal(), []);
  const mark = (row: number) => {
    marked.value = row;
    list.current?.children[row]?.scrollIntoView({ block: 'nearest' });
  };
  const shut = () => {
    dialog.current?.close();
    // The event of the dialog comes later: until then a key that opens the palette would close it.
    close();
  };
  const choose = (entry: Entry | undefined) => {
    if (!entry) return;
    if (!entry.id.startsWith('track ')) rememberChoice(entry.id);
    // The focus returns to where it was, from where the command may move it.
    shut();
    entry.run();
  };
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    const to = movedBy(event.key, marked.peek(), entries.length, PAGE);
    if (to !== null) mark(to);
    else if (event.key === 'Enter') choose(entries[marked.peek()]);
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') shut();
    else return;
    event.preventDefault();
  };
  const option = (row: number) => `palette-${row}`;
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Commands"
      onClose={close}
      onClick={(event) => event.target === dialog.current && shut()}
      onKeyDown={onKey}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Search commands"
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls="palette-list"
        aria-activedescendant={entries.length > 0 ? option(marked.value) : undefined}
        placeholder={context.surface ? 'Command, panel, track, or text to find' : 'Command'}
        spellcheck={false}
        autocomplete="off"
        autofocus
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          marked.value = 0;
          if (list.current) list.current.scrollTop = 0;
        }}
      />
      <div
        class="palette-list thin-scroll"
        ref={list}
        id="palette-list"
        role="listbox"
        aria-label="Commands"
        tabIndex={-1}
      >
        {entries.map((entry, row) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles all keys.
          // biome-ignore lint/a11y/useFocusableInteractive: `aria-activedescendant` of the field points here.
          <div
            key={entry.id}
            id={option(row)}
            class={row === marked.value ? 'palette-row row marked' : 'palette-row row'}
            role="option"
            aria-selected={row === marked.value}
            onClick={() => choose(entry)}
            onPointerMove={() => {
              marked.value = row;
            }}
          >
            <span class="palette-title ellipsis rigid">{entry.title}</span>
            <span class="palette-about ellipsis small muted">{entry.about}</span>
            {entry.key !== null && (
              <span class="palette-keys rigid">
                {labelsOf(entry.key).map((label) => (
                  <kbd key={label}>{label}</kbd>
                ))}
              </span>
            )}
          </div>
        ))}
        {entries.length === 0 && <p class="muted">No command matches.</p>}
      </div>
    </dialog>
  );
}
