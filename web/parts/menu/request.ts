import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Chord } from '../chord.ts';
import type { Anchor } from '../popover.tsx';

/** A name that commands act on. */
export interface Named {
  /** Name id, or -1 if it has none. */
  readonly id: number;
  readonly text: string;
  /** It is the name of slices, such as calls. */
  readonly isCalled: boolean;
}

/** The row of a table or a list that a menu was opened on, or an element of a drawing. */
export interface RowTarget {
  /** null if the row has no name. */
  readonly named: Named | null;
  /** The texts of its cells. Empty for an element of a drawing. */
  readonly cells: readonly string[];
  /** The expression that finds all with what the clicked cell says; null if there is none. */
  readonly term: string | null;
  /** Narrows the table by that expression; null where that is not possible. */
  readonly narrow: ((term: string) => void) | null;
  /** The type of the event that the row is about; missing or null if it is about none. */
  readonly eventType?: string | null;
  /** Shows what the row is about in the timeline; null if that is not a single thing. */
  readonly show: (() => void) | null;
  /** What only rows of its kind offer. */
  readonly own?: readonly MenuItem[];
}

/** A table that can be taken along. */
export interface TableTarget {
  /** Puts it into the clipboard. */
  copy(): void;
  /** Saves it as a file. */
  save(): void;
}

/** What a menu of commands is about: a selection, a track, the timeline, the whole trace, a row of a table, or a table. */
export type MenuName = 'item' | 'track' | 'area' | 'whole' | 'row' | 'table';

/** An entry of a menu. */
export interface MenuItem {
  readonly id: string;
  readonly title: string;
  /** The keys that do the same. */
  readonly chord?: Chord | undefined;
  /** Whether what it switches is on; left out for an entry that switches nothing. */
  readonly checked?: boolean;
  /** It begins a group, above which there is a line. */
  readonly begins?: boolean;
  run(): void;
}

/** Where a menu is shown, and for what. */
interface Place {
  /** What it is about, for screen readers. */
  readonly label: string;
  /** What it is next to: the pointer, or an element. */
  readonly at: Anchor;
  /** It was asked for by a key: its first entry gets the focus. */
  readonly byKey: boolean;
  /** The element that it is about, which is marked while the menu is open. */
  readonly marked?: Element | null;
  /** The button that it belongs to. A second request of the same closes the menu. */
  readonly button?: Element;
  /** It has been closed. */
  readonly onClose?: () => void;
}

/** A menu of entries to show. */
interface MenuOfItems extends Place {
  readonly items: readonly MenuItem[];
}

/** A menu of commands to show. Those without an effect now are left out. */
export interface MenuOfCommands extends Place {
  readonly menu: MenuName;
  readonly row?: RowTarget;
  readonly table?: TableTarget;
}

export type MenuRequest = MenuOfItems | MenuOfCommands;

/** The place of a menu at a point, in CSS pixels of the window. */
export function atPoint(x: number, y: number): Anchor {
  return { left: x, right: x, top: y, bottom: y };
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
