import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCounted } from '../../base/format.ts';
import { createScope } from '../../base/scope.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import type { Page } from '../page.ts';

type Menu = typeof import('./notes_menu.tsx');

/** The button of the menu of notes, with their number. The menu is loaded when it is first opened. */
export function NotesButton({ open, page }: { open: OpenTrace; page: Page }) {
  const shown = useSignal(false);
  const menu = useSignal<Menu | null>(null);
  const failed = useSignal(false);
  const root = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const scope = createScope();
    scope.listen<PointerEvent>(window, 'pointerdown', ({ target }) => {
      if (target instanceof Node && !root.current?.contains(target)) shown.value = false;
    });
    return scope.dispose;
  }, [shown]);
  const toggle = async () => {
    shown.value = !shown.peek();
    if (!shown.peek() || menu.peek()) return;
    failed.value = false;
    try {
      menu.value = await import('./notes_menu.tsx');
    } catch {
      failed.value = true;
    }
  };
  const { length } = open.notes.list.value;
  const Shown = menu.value?.NotesMenu;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is for all of the controls in it.
    <span
      class="notes"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !shown.peek()) return;
        event.stopPropagation();
        shown.value = false;
        button.current?.focus();
      }}
    >
      <button
        ref={button}
        type="button"
        class="plain notes-button"
        aria-expanded={shown.value}
        aria-label={length === 0 ? 'Notes' : formatCounted(length, 'note')}
        title="Notes (M adds one)"
        onClick={() => void toggle()}
      >
        <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <path d="M3 13.5V1.5h8.5l-2.2 3 2.2 3H3" />
        </svg>
        {length > 0 && <span>{length}</span>}
      </button>
      {shown.value && Shown && <Shown open={open} page={page} close={() => (shown.value = false)} />}
      {shown.value && failed.value && (
        <p class="popover notes-popover" role="alert">
          The notes could not be loaded.
        </p>
      )}
    </span>
  );
}
