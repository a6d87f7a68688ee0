import { MenuButton } from '../../page/menu_button.tsx';
import type { Page } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';

/** The button of the menu of exports. */
export function ExportButton({ open, page }: { open: OpenTrace; page: Page }) {
  return (
    <MenuButton
      open={open}
      page={page}
      look="plain export-button"
      popover="export-popover"
      label="Export"
      title="Save the trace, a part of it, or a picture"
      load={async () => (await import('./export_menu.tsx')).ExportMenu}
      failure="The menu could not be loaded."
    >
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
        <path d="M7 9.5V1.5M4 4.5l3-3 3 3M2 8.5v4h10v-4" />
      </svg>
      <span>Export</span>
    </MenuButton>
  );
}
