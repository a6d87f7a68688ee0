import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { PopoverButton } from '../parts/popover.tsx';
import type { OpenTrace } from '../timeline/open_trace.ts';
import type { Page } from './page.ts';

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

/** A button of the header with a menu below it. */
export function MenuButton({ open, page, look, popover, label, title, load, failure, children }: Props) {
  const menu = useSignal<{ readonly Menu: ComponentType<HeaderMenuProps> } | null>(null);
  const failed = useSignal(false);
  const fetch = async () => {
    if (menu.peek()) return;
    failed.value = false;
    try {
      menu.value = { Menu: await load() };
    } catch {
      failed.value = true;
    }
  };
  const Menu = menu.value?.Menu;
  return (
    <PopoverButton
      place="menu-place"
      look={look}
      label={label}
      title={title}
      onOpen={() => void fetch()}
      content={(close) => {
        if (Menu) return <Menu open={open} page={page} close={close} />;
        if (!failed.value) return null;
        return (
          <p class={`popover floating ${popover}`} role="alert">
            {failure}
          </p>
        );
      }}
    >
      {children}
    </PopoverButton>
  );
}
