import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Chord, labelsOf } from './chord.ts';
import { movedBy } from './picking.ts';
import './combo.css';

/** Rows that Page Up and Page Down move by. */
const PAGE = 8;

/** A row of the list below a {@link Combo}. */
export interface ComboRow {
  /** Unique in the list. */
  readonly id: string;
  /** What it is, in a word; rows in succession with the same word are a group. '' if the list has one kind only. */
  readonly kind: string;
  readonly title: string;
  /** What it means or acts on; '' for nothing. */
  readonly about: string;
  /** A key that does the same. */
  readonly chord?: Chord | null;
  /** It is inserted in the field, so Tab takes it, too. */
  readonly isText?: boolean;
}

interface Props<Row extends ComboRow> {
  /** Of the field, in the whole page. */
  readonly id: string;
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly wrong: boolean;
  readonly rows: readonly Row[];
  /** Whether the list is shown, if it has rows or a note. */
  readonly isOpen: Signal<boolean>;
  /** The first row is marked as soon as the list is shown: Enter takes it. */
  readonly marksFirst?: boolean;
  /** Escape leaves the field even while the list is shown. */
  readonly leavesAtOnce?: boolean;
  /** It is in a bar that scrolls sideways in a narrow window. */
  readonly isInBar?: boolean;
  /** What is said above the rows. */
  readonly note?: ComponentChildren;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly listLabel: string;
  onInput(text: string, caret: number): void;
  onFocus?(before: EventTarget | null): void;
  onBlur?(): void;
  take(row: Row): void;
  /** Enter without a marked row, or with Shift (`back`), or F3. */
  readonly onEnter?: ((back: boolean) => void) | undefined;
  /** Escape while the list is hidden. */
  onEscape(): void;
  /** Backspace at the beginning. */
  onBack?(): void;
}

/** A field with a list below it: a combobox. */
export function Combo<Row extends ComboRow>(props: Props<Row>) {
  const { id, label, placeholder, value, wrong, rows, isOpen, marksFirst = false, note, input, take } = props;
  const list = useRef<HTMLDivElement>(null);
  /** The row that Enter takes, or -1. */
  const marked = useSignal(-1);
  const shown = isOpen.value ? rows : [];
  const at = Math.min(marked.value < 0 && marksFirst ? 0 : marked.value, shown.length - 1);
  const option = (row: number) => `${id}-option-${row}`;
  useLayoutEffect(() => {
    marked.value = -1;
    if (list.current) list.current.scrollTop = 0;
  }, [value, isOpen.value]);
  const mark = (row: number) => {
    marked.value = row;
    document.getElementById(option(row))?.scrollIntoView?.({ block: 'nearest' });
  };
  const onKey = (event: KeyboardEvent) => {
    const chosen = shown[at];
    const { key } = event;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const to = key.startsWith('Arrow') || key.startsWith('Page') ? movedBy(key, at, shown.length, PAGE) : null;
    if (key === 'Escape') {
      if (isOpen.peek() && !props.leavesAtOnce && (rows.length > 0 || note)) isOpen.value = false;
      else props.onEscape();
    } else if (chosen && isPlain && ((key === 'Enter' && !event.shiftKey) || (key === 'Tab' && chosen.isText))) {
      take(chosen);
    } else if (key === 'Enter' || (key === 'F3' && props.onEnter)) {
      isOpen.value = false;
      props.onEnter?.(event.shiftKey);
    } else if (to !== null) mark(wrapped(key, at, to, shown.length));
    else if (key === 'ArrowDown' && isPlain) isOpen.value = true;
    else if (key === 'Backspace' && props.onBack && isPlain && caretOf(event) === 0) props.onBack();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isShown = shown.length > 0 || (isOpen.value && note);
  return (
    <>
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        placeholder={placeholder}
        // An empty field is as wide as the example in it.
        size={Math.max(1, placeholder.length)}
        aria-label={label}
        aria-expanded={shown.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={at >= 0 ? option(at) : undefined}
        aria-invalid={wrong}
        spellcheck={false}
        autocomplete="off"
        value={value}
        onInput={({ currentTarget: { value: typed, selectionStart } }) => {
          isOpen.value = true;
          props.onInput(typed, selectionStart ?? typed.length);
        }}
        onFocus={(event) => props.onFocus?.(event.relatedTarget)}
        onBlur={() => {
          isOpen.value = false;
          props.onBlur?.();
        }}
        onKeyDown={onKey}
      />
      {isShown && (
        <div class={props.isInBar ? 'combo-list in-bar floating' : 'combo-list floating'}>
          {note}
          <div ref={list} class="combo-rows thin-scroll" id={`${id}-list`} role="listbox" aria-label={props.listLabel}>
            {shown.map((row, i) => (
              // biome-ignore lint/a11y/useFocusableInteractive: `aria-activedescendant` of the field points here.
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles all keys.
              <div
                key={row.id}
                id={option(i)}
                class={i > 0 && shown[i - 1]!.kind !== row.kind ? 'combo-row row combo-first' : 'combo-row row'}
                role="option"
                aria-selected={i === at}
                // The field keeps the focus.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => take(row)}
              >
                {row.kind !== '' && <span class="combo-kind small muted rigid">{row.kind}</span>}
                <span class={row.isText ? 'combo-title ellipsis mono' : 'combo-title ellipsis'}>{row.title}</span>
                <span class="combo-about ellipsis small muted">{row.about}</span>
                {row.chord != null && (
                  <span class="combo-keys rigid">
                    {labelsOf(row.chord).map((text) => (
                      <kbd key={text}>{text}</kbd>
                    ))}
                  </span>
                )}
              </div>
            ))}
          </div>
        </div>
      )}
    </>
  );
}

/** The row that an arrow leads to: from the last to the first, and back. */
function wrapped(key: string, from: number, to: number, count: number): number {
  if (from !== to || !key.startsWith('Arrow')) return to;
  return key === 'ArrowDown' ? 0 : count - 1;
}

function caretOf({ target }: Event): number | null {
  return target instanceof HTMLInputElement && target.selectionStart === target.selectionEnd
    ? target.selectionStart
    : null;
}
