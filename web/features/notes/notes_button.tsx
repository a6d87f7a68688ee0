import { formatCounted } from '../../base/format.ts';
import { MenuButton } from '../../page/menu_button.tsx';
import type { Page } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';

/** The button of the menu of notes, with their number. */
export function NotesButton({ open, page }: { open: OpenTrace; page: Page }) {
  const { length } = open.notes.list.value;
  return (
    <MenuButton
      open={open}
      page={page}
      look="plain notes-button"
      popover="notes-popover"
      label={length === 0 ? 'Notes' : formatCounted(length, 'note')}
      title="Notes (M adds one)"
      load={async () => (await import('./notes_menu.tsx')).NotesMenu}
      failure="The notes could not be loaded."
    >
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
        <path d="M3 13.5V1.5h8.5l-2.2 3 2.2 3H3" />
      </svg>
      {length > 0 && <span>{length}</span>}
    </MenuButton>
  );
}
