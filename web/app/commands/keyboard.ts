import { createScope, type Dispose } from '../../base/scope.ts';
import { contextOf } from '../../page/commands.ts';
import type { Command, CommandContext, Page } from '../../page/page.ts';
import type { Chord } from '../../parts/chord.ts';

/** The state of the page that decides which command a key runs. */
export interface Focus {
  /** The focus is in a field that takes characters. */
  readonly typing: boolean;
  /** The focus is in a field with a text. */
  readonly writing: boolean;
  /** The focus is on the timeline, or nowhere. */
  readonly onTimeline: boolean;
  /** A modal dialog is open. */
  readonly dialog: boolean;
}

/** Controls use these keys themselves, so they run commands only while the focus is on the timeline. */
const FOR_CONTROLS: ReadonlySet<Chord> = new Set([
  'arrowleft',
  'arrowright',
  'arrowup',
  'arrowdown',
  'pageup',
  'pagedown',
  'enter',
]);

/** Fields with a text copy what is selected in it, and take back their own changes. */
const FOR_TEXTS: ReadonlySet<Chord> = new Set(['ctrl c', 'ctrl z', 'ctrl shift z', 'ctrl y']);

/** Keys that are other commands with Shift. With all others Shift changes nothing. */
const WITH_SHIFT = /^(f\d+|m|n)$/;
/** Keys that are other commands with Ctrl and Shift than with Ctrl. */
const WITH_CTRL_SHIFT = /^(f\d+|p|z)$/;
/** Keys that are commands with Alt. The others with Alt belong to the browser. */
const WITH_ALT = /^(arrow(left|right)|l)$/;

/** Runs the command of each key that reaches the window, until disposed. */
export function listenForCommands(page: Page): Dispose {
  const scope = createScope();
  scope.listen<KeyboardEvent>(window, 'keydown', (event) => {
    const now = contextOf(page);
    const command = commandFor(chordOf(event), focusOf(targetOf(event), now.surface?.area ?? null), now);
    if (!command) return;
    event.preventDefault();
    command.run(now);
  });
  return scope.dispose;
}

/** The command that a key runs with this focus, or null. */
export function commandFor(chord: Chord | null, focus: Focus, context: CommandContext): Command | null {
  if (chord === null) return null;
  if (focus.typing && !chord.startsWith('ctrl ')) return null;
  if (focus.writing && FOR_TEXTS.has(chord)) return null;
  if (FOR_CONTROLS.has(chord) && !focus.onTimeline) return null;
  // Of commands that share a key, the first that has an effect.
  const command = context.page.commands.find(
    ({ keys, alsoKeys = [], overDialogs, enabled }) =>
      (keys.includes(chord) || alsoKeys.includes(chord)) && (!focus.dialog || overDialogs) && enabled(context),
  );
  return command ?? null;
}

/** The chord of a key event; null for a key that belongs to the browser. */
export function chordOf(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): Chord | null {
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey)
    return `ctrl ${event.shiftKey && WITH_CTRL_SHIFT.test(key) ? 'shift ' : ''}${key}`;
  if (event.altKey) return WITH_ALT.test(key) && !event.shiftKey ? `alt ${key}` : null;
  return event.shiftKey && WITH_SHIFT.test(key) ? `shift ${key}` : key;
}

/** The element that an event is about, also in a shadow tree. */
export function targetOf(event: Event): EventTarget | null {
  return event.composedPath()[0] ?? event.target;
}

/** Whether an element takes characters. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  );
}

/** Types of fields without a text. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['checkbox', 'radio', 'range', 'file', 'button']);

function focusOf(target: EventTarget | null, area: HTMLElement | null): Focus {
  return {
    writing:
      isTyping(target) &&
      !(target instanceof HTMLSelectElement) &&
      !(target instanceof HTMLInputElement && WITHOUT_TEXT.has(target.type)),
    typing: isTyping(target),
    onTimeline: target === area || target === document.body || !(target instanceof HTMLElement),
    dialog: document.querySelector('dialog[open]') !== null,
  };
}
