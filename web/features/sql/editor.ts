import {
  acceptCompletion,
  autocompletion,
  type CompletionSource,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { SQLite } from '@codemirror/lang-sql';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Completions } from '../../trace/completion.ts';

/** A part of the text, in characters. */
export interface Place {
  readonly at: number;
  readonly length: number;
}

/** What the text is written in. */
export interface Language {
  readonly label: string;
  readonly placeholder: string;
  readonly isSql: boolean;
  readonly complete: (text: string, caret: number) => Completions;
}

/** An editor of queries. */
export interface Editor {
  setText(text: string): void;
  setLanguage(language: Language): void;
  /** Underlines what is wrong; nothing with null. */
  mark(wrong: Place | null): void;
  focus(): void;
  dispose(): void;
}

interface Listener {
  readonly changed: (text: string) => void;
  readonly run: () => void;
  /** Escape while no completions are shown. */
  readonly escape: () => void;
}

const setWrong = StateEffect.define<Place | null>();

/** What is wrong, until the text changes. */
const wrongPart = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { docChanged, effects, state }) => {
    let next = docChanged ? Decoration.none : marks;
    for (const effect of effects) {
      if (!effect.is(setWrong)) continue;
      const { length } = state.doc;
      const from = Math.min(effect.value?.at ?? 0, length);
      const to = Math.min(from + (effect.value?.length ?? 0), length);
      next =
        effect.value && to > from
          ? Decoration.set(Decoration.mark({ class: 'wrong' }).range(from, to))
          : Decoration.none;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--muted)' },
]);

/**
 * Replaces a selection by what is typed. Chromium itself would keep the colour of what was selected, by a `style` attribute around the
 * text: the page's policy forbids that, and each is an error in the console.
 */
const typesOver = EditorView.domEventHandlers({
  beforeinput: ({ inputType, isComposing, data }, view) => {
    const { main } = view.state.selection;
    if (inputType !== 'insertText' || isComposing || data === null || main.empty) return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

/** Custom properties of the page reach into the shadow tree, so one theme does for light and dark. */
const LOOK = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', scrollbarWidth: 'thin' },
  '.cm-content': { padding: '5px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 8px' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.wrong': { textDecoration: 'underline wavy var(--warning)', textUnderlineOffset: '3px' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: '6px',
    background: 'var(--raised)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--selected)',
    color: 'var(--text)',
  },
  '.cm-completionDetail': { marginLeft: '14px', color: 'var(--muted)', fontFamily: 'var(--sans)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { textDecoration: 'none' },
});

/**
 * An editor in a host element. It lives in a shadow tree: there its styles are adopted style sheets, which the page's policy
 * allows, while in the document they would be a `style` element, which it does not.
 */
export function createEditor(host: HTMLElement, text: string, first: Language, listener: Listener): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const language = new Compartment();
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        Prec.highest(
          keymap.of([
            {
              key: 'Mod-Enter',
              run: (view) => {
                // They would cover the rows.
                closeCompletion(view);
                return call(listener.run);
              },
            },
            { key: 'Tab', run: acceptCompletion },
          ]),
        ),
        history(),
        keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        // After all others: completions are closed first.
        Prec.lowest(keymap.of([{ key: 'Escape', run: () => call(listener.escape), stopPropagation: true }])),
        EditorView.lineWrapping,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) listener.changed(update.state.doc.toString());
        }),
        typesOver,
        wrongPart,
        syntaxHighlighting(COLOURS),
        LOOK,
        language.of(extensionsOf(first)),
      ],
    }),
  });
  return {
    setText: (next) => {
      if (next === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: next },
        selection: { anchor: next.length },
      });
    },
    setLanguage: (next) => view.dispatch({ effects: language.reconfigure(extensionsOf(next)) }),
    mark: (wrong) => view.dispatch({ effects: setWrong.of(wrong) }),
    focus: () => view.focus(),
    dispose: () => view.destroy(),
  };
}

function call(run: () => void): boolean {
  run();
  return true;
}

function extensionsOf({ label, placeholder: hint, isSql, complete }: Language) {
  const source: CompletionSource = ({ state, pos, explicit }) => {
    const text = state.doc.toString();
    const { from, to, items } = complete(text, pos);
    // Examples for an empty text come when they are asked for.
    if (items.length === 0 || (text === '' && !explicit)) return null;
    return {
      from,
      to,
      // They are in order.
      filter: false,
      options: items.map((item) => ({ label: item.text, detail: item.meaning })),
    };
  };
  return [
    isSql ? SQLite.extension : [],
    placeholder(hint),
    // Without a delay in which Tab would leave the editor although completions are shown.
    autocompletion({ override: [source], icons: false, aboveCursor: false, interactionDelay: 0 }),
    EditorView.contentAttributes.of({ 'aria-label': label, autocapitalize: 'off', spellcheck: 'false' }),
  ];
}
