import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { WrongExpression } from '../../base/find_protocol.ts';
import { type Completion, type Completions, completionsOf } from '../../trace/completion.ts';
import type { OpenTrace } from '../open_trace.ts';
import './expression_field.css';

interface Props {
  readonly open: OpenTrace;
  /** Of the field, in the whole page. */
  readonly id: string;
  readonly label: string;
  readonly placeholder: string;
  readonly text: Signal<string>;
  readonly wrong: boolean;
  /** Takes the focus when it appears. */
  readonly autofocus?: boolean;
  /** What may stand at the caret, if this is another language. Shown in an empty field, too. */
  readonly complete?: (text: string, caret: number) => Completions;
  /** Enter (or F3) while no completion is chosen. `back`: with Shift. */
  readonly onEnter?: (back: boolean) => void;
  /** Escape while no completions are shown. */
  readonly onEscape: () => void;
}

/** A field for an expression of the filter language, with completions of its keys and of names in the trace. */
export function ExpressionField(props: Props) {
  const { open, id, label, placeholder, text, wrong, autofocus, complete, onEnter, onEscape } = props;
  const { trace } = open;
  const input = useRef<HTMLInputElement>(null);
  /** The completion that Enter would take, or -1. */
  const active = useSignal(-1);
  const hidden = useSignal(true);
  const caret = useSignal(0);
  // Before the next key: what is typed at once must not be taken for commands.
  useLayoutEffect(() => {
    if (autofocus) input.current?.select();
  }, []);
  const known = {
    names: trace.names.text,
    threads: [...trace.tracks.value.values()].filter(({ kind }) => kind === 'thread').map(({ name }) => name),
    fields: open.events.fieldsSeen(),
    info: trace.info.value,
  };
  const completions = hidden.value
    ? null
    : complete
      ? complete(text.value, caret.value)
      : completionsOf(text.value, caret.value, known);
  const items = completions?.items ?? [];
  const take = (item: Completion) => {
    if (!completions || !input.current) return;
    const typed = text.peek();
    const isKey = /[:>.(]$/.test(item.text);
    const rest = typed.slice(completions.to);
    const put = isKey || rest.startsWith(' ') ? item.text : `${item.text} `;
    text.value = typed.slice(0, completions.from) + put + rest;
    const at = completions.from + put.length;
    hidden.value = !isKey;
    active.value = -1;
    const field = input.current;
    requestAnimationFrame(() => {
      field.setSelectionRange(at, at);
      caret.value = at;
    });
  };
  const onKey = (event: KeyboardEvent) => {
    const chosen = items[active.value];
    if (event.key === 'Escape') {
      if (items.length > 0) hidden.value = true;
      else onEscape();
    } else if ((event.key === 'Enter' || event.key === 'Tab') && chosen) take(chosen);
    else if (event.key === 'Enter' || (event.key === 'F3' && onEnter)) {
      hidden.value = true;
      onEnter?.(event.shiftKey);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (items.length === 0) return;
      const by = event.key === 'ArrowDown' ? 1 : -1;
      active.value = (active.value + by + items.length + (active.value < 0 && by < 0 ? 1 : 0)) % items.length;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const list = `${id}-completions`;
  return (
    <div class="expression">
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        placeholder={placeholder}
        aria-label={label}
        aria-expanded={items.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={active.value >= 0 ? `${list}-${active.value}` : undefined}
        aria-invalid={wrong}
        spellcheck={false}
        autocomplete="off"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          caret.value = event.currentTarget.selectionStart ?? event.currentTarget.value.length;
          hidden.value = false;
          active.value = -1;
        }}
        onFocus={() => {
          if (complete && text.peek() === '') hidden.value = false;
        }}
        onBlur={() => (hidden.value = true)}
        onKeyDown={onKey}
      />
      {items.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the list of a combobox.
        <ul class="completions floating" id={list} role="listbox" aria-label="Completions">
          {items.map((item, i) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field of a combobox keeps the focus.
            <li
              key={item.text}
              id={`${list}-${i}`}
              // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: an option of a combobox.
              role="option"
              aria-selected={i === active.value}
              // The field keeps the focus.
              onMouseDown={(event) => {
                event.preventDefault();
                take(item);
              }}
            >
              <span class="mono">{item.text}</span>
              <span class="muted">{item.meaning}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** What is wrong with an expression, with the part that is. */
export function Wrong({ text, wrong }: { text: string; wrong: WrongExpression }) {
  const end = wrong.at + Math.max(wrong.length, 0);
  return (
    <p class="expression-note small" role="alert">
      {wrong.length > 0 && (
        <span class="mono expression-wrong" aria-hidden="true">
          {text.slice(Math.max(0, wrong.at - 24), wrong.at)}
          <mark>{text.slice(wrong.at, end)}</mark>
        </span>
      )}
      {wrong.sentence}
    </p>
  );
}
