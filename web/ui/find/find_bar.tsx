import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { WrongExpression } from '../../base/find_protocol.ts';
import { formatCount, formatPercent, plural } from '../../base/format.ts';
import { type Completion, completionsOf } from '../../model/completion.ts';
import type { Dock } from '../../model/dock.ts';
import type { Find } from '../../model/find.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import './find.css';

/** Id of the field, for the command that focuses it. */
export const FIND_ID = 'find-field';
/** Id of the panel that lists the hits. */
export const RESULTS = 'results';

/** The field for an expression, above the timeline, with the number of hits and the way from one to the next. */
export function FindBar({ open, dock }: { open: OpenTrace; dock: Dock }) {
  const { find } = open;
  if (!find.shown.value) return null;
  const close = () => {
    find.shown.value = false;
    find.clear();
  };
  const list = () => {
    const info = open.trace.info.peek();
    if (!info) return;
    dock.open.value = true;
    dock.front.value = { ...dock.front.value, [info.format]: RESULTS };
  };
  const state = find.state.value;
  const count = find.count.value;
  return (
    <search class="find" aria-label="Find">
      <div class="find-row">
        <Field open={open} close={close} />
        <span class="find-count muted" role="status">
          {countText(find)}
        </span>
        <button
          type="button"
          class="plain icon"
          aria-label="Previous hit"
          title="Previous hit (Shift+Enter)"
          disabled={count === 0}
          onClick={() => void find.step(-1)}
        >
          <Arrow d="M1 7l4-4 4 4" />
        </button>
        <button
          type="button"
          class="plain icon"
          aria-label="Next hit"
          title="Next hit (Enter)"
          disabled={count === 0}
          onClick={() => void find.step(1)}
        >
          <Arrow d="M1 3l4 4 4-4" />
        </button>
        {state.at === 'searching' ? (
          <button type="button" onClick={find.stop}>
            Stop
          </button>
        ) : (
          <button type="button" disabled={count === 0} onClick={list} title="List all hits">
            List
          </button>
        )}
        <button type="button" class="plain icon" aria-label="Close" title="Close (Esc)" onClick={close}>
          ×
        </button>
      </div>
      {state.at === 'wrong' && <Wrong text={find.asked.value} wrong={state.wrong} />}
      {state.at === 'done' && state.failure !== null && (
        <p class="find-note" role="alert">
          {state.failure}
        </p>
      )}
    </search>
  );
}

/** How many hits there are, and how far the search is. */
function countText({ state, count, current, asked }: Find): string {
  const now = state.value;
  const hits = `${formatCount(count.value)} ${plural(count.value, 'hit')}`;
  switch (now.at) {
    case 'idle':
      return '';
    case 'waiting':
      return 'Waiting for the file…';
    case 'wrong':
      return '';
    case 'searching':
      return `${hits} · ${now.share === null ? 'searching…' : formatPercent(now.share, 1)}`;
    case 'done': {
      if (asked.value === '') return '';
      const beyond = now.beyond > 0 ? ` + ${formatCount(now.beyond)} not listed` : '';
      const stopped = now.stopped ? ' · stopped' : '';
      const place = current.value >= 0 ? `${formatCount(current.value + 1)} of ${formatCount(count.value)}` : hits;
      return `${place}${beyond}${stopped}`;
    }
  }
}

function Field({ open, close }: { open: OpenTrace; close: () => void }) {
  const { find, trace } = open;
  const input = useRef<HTMLInputElement>(null);
  /** The completion that Enter would take, or -1. */
  const active = useSignal(-1);
  const hidden = useSignal(true);
  const caret = useSignal(0);
  useEffect(() => input.current?.select(), []);
  const known = {
    names: trace.names.text,
    threads: [...trace.tracks.value.values()].filter(({ kind }) => kind === 'thread').map(({ name }) => name),
    fields: open.events.fieldsSeen(),
    info: trace.info.value,
  };
  const completions = hidden.value ? null : completionsOf(find.text.value, caret.value, known);
  const items = completions?.items ?? [];
  const take = (item: Completion) => {
    if (!completions || !input.current) return;
    const text = find.text.peek();
    const isKey = /[:>.]$/.test(item.text);
    const rest = text.slice(completions.to);
    const put = isKey || rest.startsWith(' ') ? item.text : `${item.text} `;
    find.text.value = text.slice(0, completions.from) + put + rest;
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
      else close();
    } else if ((event.key === 'Enter' || event.key === 'Tab') && chosen) take(chosen);
    else if (event.key === 'Enter' || event.key === 'F3') {
      hidden.value = true;
      void find.step(event.shiftKey ? -1 : 1);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (items.length === 0) return;
      const by = event.key === 'ArrowDown' ? 1 : -1;
      active.value = (active.value + by + items.length + (active.value < 0 && by < 0 ? 1 : 0)) % items.length;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="find-field">
      <input
        ref={input}
        id={FIND_ID}
        type="text"
        role="combobox"
        placeholder="Name, or a term such as name:main"
        aria-label="Find slices and records"
        aria-expanded={items.length > 0}
        aria-controls="find-completions"
        aria-autocomplete="list"
        aria-activedescendant={active.value >= 0 ? `find-completion-${active.value}` : undefined}
        aria-invalid={find.state.value.at === 'wrong'}
        spellcheck={false}
        autocomplete="off"
        value={find.text.value}
        onInput={(event) => {
          find.text.value = event.currentTarget.value;
          caret.value = event.currentTarget.selectionStart ?? event.currentTarget.value.length;
          hidden.value = false;
          active.value = -1;
        }}
        onBlur={() => (hidden.value = true)}
        onKeyDown={onKey}
      />
      {items.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the list of a combobox.
        <ul class="find-completions" id="find-completions" role="listbox" aria-label="Completions">
          {items.map((item, i) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field of a combobox keeps the focus.
            <li
              key={item.text}
              id={`find-completion-${i}`}
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
function Wrong({ text, wrong }: { text: string; wrong: WrongExpression }) {
  const end = wrong.at + Math.max(wrong.length, 0);
  return (
    <p class="find-note" role="alert">
      {wrong.length > 0 && (
        <span class="mono find-wrong" aria-hidden="true">
          {text.slice(Math.max(0, wrong.at - 24), wrong.at)}
          <mark>{text.slice(wrong.at, end)}</mark>
        </span>
      )}
      {wrong.sentence}
    </p>
  );
}

function Arrow({ d }: { d: string }) {
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
      <path d={d} fill="none" stroke="currentColor" stroke-width="1.5" />
    </svg>
  );
}
