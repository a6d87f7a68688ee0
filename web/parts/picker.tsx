import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { formatCounted } from '../base/format.ts';
import { createScope } from '../base/scope.ts';
import { type Choice, matching, movedBy } from './picking.ts';
import { anchorOf, placeAt, useDismissal } from './popover.tsx';
import './picker.css';

/** CSS pixels of a row, as in the style sheet. */
const ROW = 26;
/** Rows in sight at most, and rows kept above and below them. */
const SHOWN = 12;
const SPARE = 4;
/** CSS pixels of the list without its rows, of its width, and of the gap next to the button. */
const FRAME = 48;
const WIDTH = 280;
const GAP = 4;

interface Props {
  /** What is chosen, for screen readers and as the title. */
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: Choice['id'];
  readonly choose: (id: Choice['id']) => void;
}

/**
 * A choice from a list of any length: a button that opens a field to search in, above the list. The page has no more elements
 * for a longer list.
 */
export function Picker({ label, choices, chosen, choose }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const isOpen = useSignal(false);
  const name = choices.find(({ id }) => id === chosen)?.name ?? '';
  const close = (refocus: boolean) => {
    isOpen.value = false;
    if (refocus) button.current?.focus();
  };
  return (
    <span class="picker">
      <button
        ref={button}
        type="button"
        class="picker-button row small"
        aria-haspopup="listbox"
        aria-expanded={isOpen.value}
        aria-label={`${label}: ${name}`}
        title={name}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          isOpen.value = true;
        }}
      >
        <span>{name}</span>
        <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
          <path d="M1 3l4 4 4-4" />
        </svg>
      </button>
      {isOpen.value && (
        <List
          label={label}
          choices={choices}
          chosen={chosen}
          below={button.current!}
          close={close}
          choose={(id) => {
            close(true);
            choose(id);
          }}
        />
      )}
    </span>
  );
}

interface ListProps extends Props {
  /** The button that the list belongs to. */
  readonly below: HTMLElement;
  readonly close: (refocus: boolean) => void;
}

function List({ label, choices, chosen, choose, below, close }: ListProps) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const filter = useSignal('');
  const all = useSignal(choices);
  all.value = choices;
  const found = useComputed(() => matching(all.value, filter.value));
  const marked = useSignal(
    Math.max(
      0,
      choices.findIndex((choice) => choice.id === chosen),
    ),
  );
  const top = useSignal(0);
  const list = found.value;
  const rows = Math.min(SHOWN, Math.max(1, list.length));

  /** Marks a row and scrolls it into view. */
  const mark = (row: number) => {
    marked.value = row;
    const element = box.current;
    if (!element) return;
    const least = (row + 1) * ROW - rows * ROW;
    if (element.scrollTop > row * ROW) element.scrollTop = row * ROW;
    else if (element.scrollTop < least) element.scrollTop = least;
    top.value = element.scrollTop;
  };
  useEffect(() => {
    mark(marked.peek());
    const scope = createScope();
    // The list is laid out over the page, where the button was when it opened.
    scope.listen(window, 'resize', () => close(false));
    return scope.dispose;
  }, []);

  useDismissal(true, (target) => Boolean(root.current?.contains(target)) || below.contains(target), close);

  const onKey = (event: KeyboardEvent) => {
    const to = movedBy(event.key, marked.peek(), list.length, SHOWN - 1);
    if (to !== null) mark(to);
    else if (event.key === 'Enter') {
      const choice = list[marked.peek()];
      if (choice) choose(choice.id);
    } else {
      if (event.key === 'Tab') close(true);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const first = Math.max(0, Math.floor(top.value / ROW) - SPARE);
  const end = Math.min(list.length, Math.ceil((top.value + rows * ROW) / ROW) + SPARE);
  const height = rows * ROW + FRAME;
  const option = (row: number) => `${id}-${row}`;
  return (
    <div class="picker-list small floating" ref={root} style={placeAt(anchorOf(below, GAP), { width: WIDTH, height })}>
      <input
        type="text"
        role="combobox"
        aria-label={`Search ${label.toLowerCase()}`}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={id}
        aria-activedescendant={list.length > 0 ? option(marked.value) : undefined}
        placeholder={`Search ${formatCounted(choices.length, 'entry')}`}
        spellcheck={false}
        autocomplete="off"
        ref={(input) => input?.focus()}
        value={filter.value}
        onInput={(event) => {
          filter.value = event.currentTarget.value;
          mark(0);
        }}
        onKeyDown={onKey}
      />
      <div
        class="picker-rows thin-scroll"
        ref={box}
        id={id}
        role="listbox"
        aria-label={label}
        tabIndex={-1}
        style={{ height: `${rows * ROW}px` }}
        onScroll={(event) => {
          top.value = event.currentTarget.scrollTop;
        }}
      >
        <div style={{ height: `${list.length * ROW}px` }} role="presentation">
          {list.slice(first, end).map((choice, i) => {
            const row = first + i;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles all keys.
              // biome-ignore lint/a11y/useFocusableInteractive: `aria-activedescendant` of the field points here.
              <div
                key={choice.id}
                id={option(row)}
                class={row === marked.value ? 'picker-row ellipsis marked' : 'picker-row ellipsis'}
                role="option"
                aria-selected={choice.id === chosen}
                aria-setsize={list.length}
                aria-posinset={row + 1}
                style={{ top: `${row * ROW}px` }}
                title={choice.name}
                onClick={() => choose(choice.id)}
              >
                {choice.name}
              </div>
            );
          })}
        </div>
        {list.length === 0 && <p class="muted">No match</p>}
      </div>
    </div>
  );
}
