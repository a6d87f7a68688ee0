import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { createScope } from '../../base/scope.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import type { Page } from '../page.ts';

type Menu = typeof import('./export_menu.tsx');

/** The button of the menu of exports, which is loaded when it is first opened. */
export function ExportButton({ open, page }: { open: OpenTrace; page: Page }) {
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
      menu.value = await import('./export_menu.tsx');
    } catch {
      failed.value = true;
    }
  };
  const Shown = menu.value?.ExportMenu;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is for all of the controls in it.
    <span
      class="notes export-place"
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
        class="plain"
        aria-expanded={shown.value}
        title="Save the trace, or a part of it, for other programs"
        onClick={() => void toggle()}
      >
        Export
      </button>
      {shown.value && Shown && <Shown open={open} page={page} />}
      {shown.value && failed.value && (
        <p class="popover export-popover" role="alert">
          The menu could not be loaded.
        </p>
      )}
    </span>
  );
}
