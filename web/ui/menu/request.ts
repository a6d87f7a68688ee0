import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { RowTarget, TableTarget } from '../commands/context.ts';
import type { Menu } from '../commands/menus.ts';

/** A menu to show. */
export interface MenuRequest {
  /** What it is about, for screen readers. */
  readonly label: string;
  readonly menu: Menu;
  /** CSS pixels from the left and top edges of the window. */
  readonly at: { readonly x: number; readonly y: number };
  /** It was asked for by a key: its first entry gets the focus. */
  readonly byKey: boolean;
  readonly row: RowTarget | null;
  readonly table?: TableTarget;
  /** The element that it is about, which is marked while the menu is open. */
  readonly marked: Element | null;
}

/** Shows a menu. Returns false if none of its commands has an effect now; then there is no menu. */
export type ShowMenu = (request: MenuRequest) => boolean;

/** Where components find {@link ShowMenu}. */
export const MenuContext = createContext<ShowMenu>(() => false);

/** Shows menus. */
export function useMenu(): ShowMenu {
  return useContext(MenuContext);
}

/** Whether a key asked for the menu: Shift+F10 or the menu key. */
export function isByKey(event: MouseEvent): boolean {
  const pointer = 'pointerType' in event ? String(event.pointerType) : '';
  // Chromium has no button for a key, Firefox no pointer. On a Mac, Ctrl and a click ask for it, too.
  return event.button === -1 || (event.button === 0 && pointer === '' && !event.ctrlKey);
}

/** Whether the browser's own menu is meant: that of a field, which can paste. */
export function isBrowsers({ target }: Event): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
