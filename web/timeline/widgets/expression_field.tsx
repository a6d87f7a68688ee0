import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { WrongExpression } from '../../base/find_protocol.ts';
import { Combo } from '../../parts/combo.tsx';
import { type Completion, type Completions, completionsOf, inserted, type Known } from '../../trace/completion.ts';
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
  /** What may stand at the caret, if this is another language. */
  readonly complete?: (text: string, caret: number) => Completions;
  /** Enter (or F3) while no completion is chosen. `back`: with Shift. */
  readonly onEnter?: (back: boolean) => void;
  /** Escape while no completions are shown. */
  readonly onEscape: () => void;
}

/** What completions of a trace are made of. Subscribes. */
export function knownOf({ trace, events }: OpenTrace): Known {
  return {
    names: trace.names.text,
    threads: [...trace.tracks.value.values()].filter(({ kind }) => kind === 'thread').map(({ name }) => name),
    fields: events.fieldsSeen(),
    info: trace.info.value,
  };
}

/**
 * A field for an expression of the filter language, narrowed to what one panel shows, with completions of its keys and of names in
 * the trace. An empty field shows the keys, or examples of another language.
 */
export function ExpressionField({ open, id, label, placeholder, text, wrong, complete, onEnter, onEscape }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const isOpen = useSignal(false);
  const caret = useSignal(0);
  const completions = !isOpen.value
    ? null
    : complete
      ? complete(text.value, caret.value)
      : completionsOf(text.value, caret.value, knownOf(open));
  const take = (item: Completion) => {
    if (!completions || !input.current) return;
    const put = inserted(text.peek(), completions, item.text);
    text.value = put.text;
    isOpen.value = put.goesOn;
    const field = input.current;
    requestAnimationFrame(() => {
      field.setSelectionRange(put.caret, put.caret);
      caret.value = put.caret;
    });
  };
  return (
    // The example in the empty field is never cut.
    <div class="expression" style={{ minWidth: `calc(${placeholder.length + 1}ch + var(--space-5))` }}>
      <Combo
        id={id}
        label={label}
        placeholder={placeholder}
        value={text.value}
        wrong={wrong}
        input={input}
        isOpen={isOpen}
        isInBar
        listLabel="Completions"
        rows={(completions?.items ?? []).map((item) => ({
          id: item.text,
          kind: '',
          title: item.text,
          about: item.meaning,
          isText: true,
          item,
        }))}
        onInput={(typed, at) => {
          text.value = typed;
          caret.value = at;
        }}
        onFocus={() => {
          if (text.peek() === '') isOpen.value = true;
        }}
        take={({ item }) => take(item)}
        onEnter={onEnter}
        onEscape={onEscape}
      />
    </div>
  );
}

interface WrongProps {
  readonly text: string;
  readonly wrong: WrongExpression;
  /** What would have worked. */
  readonly instead?: { readonly title: string; readonly run: () => void } | null;
}

/** What is wrong with an expression, with the part that is. */
export function Wrong({ text, wrong, instead }: WrongProps) {
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
      {instead && (
        <button type="button" onClick={instead.run}>
          {instead.title}
        </button>
      )}
    </p>
  );
}
