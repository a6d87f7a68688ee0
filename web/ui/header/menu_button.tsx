import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { createScope } from '../../base/scope.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import type { Page } from '../page.ts';

/** What the menu of a button gets. */
export interface HeaderMenuProps {
  readonly open: OpenTrace;
  readonly page: Page;
  /** Closes the menu. */
  readonly close: () => void;
}

interface Props {
  readonly open: OpenTrace;
  readonly page: Page;
  /** Classes of the button, and one of the popover. */
  readonly look: string;
  readonly popover: string;
  readonly label: string;
  readonly title: string;
  /** Loads the menu, when it is first opened. */
  readonly load: () => Promise<ComponentType<HeaderMenuProps>>;
  /** A sentence if that fails. */
  readonly failure: string;
  readonly children: ComponentChildren;
}

/** A button of the header with a menu below it, which a click elsewhere or Escape closes. */
export function MenuButton(props: Props) {
  const { open, page, look, popover, label, title, load, failure, children } = props;
  const shown = useSignal(false);
  const menu = useSignal<{ readonly Menu: ComponentType<HeaderMenuProps> } | null>(null);
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
      menu.value = { Menu: await load() };
    } catch {
      failed.value = true;
    }
  };
  const Menu = menu.value?.Menu;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is for all of the controls in it.
    <span
      class="menu-place"
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
        class={look}
        aria-expanded={shown.value}
        aria-label={label}
        title={title}
        onClick={() => void toggle()}
      >
        {children}
      </button>
      {shown.value && Menu && <Menu open={open} page={page} close={() => (shown.value = false)} />}
      {shown.value && failed.value && (
        <p class={`popover ${popover}`} role="alert">
          {failure}
        </p>
      )}
    </span>
  );
}
