import { MenuButton } from '../../page/menu_button.tsx';
import type { Page } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { partRead } from '../../timeline/part.ts';

/** How much of the file is shown, if that is not all, and what to do about the rest. Renders nothing otherwise. */
export function Part({ open, page }: { open: OpenTrace; page: Page }) {
  const part = partRead(open.trace);
  if (!part) return null;
  return (
    <MenuButton
      open={open}
      page={page}
      look="chip warning part-button"
      popover="part-popover"
      label={part.label}
      title="Options for the rest of the file"
      load={async () => (await import('./part_menu.tsx')).PartMenu}
      failure="The menu could not be loaded."
    >
      {part.label}
    </MenuButton>
  );
}
