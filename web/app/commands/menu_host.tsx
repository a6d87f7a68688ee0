import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useCallback, useRef } from 'preact/hooks';
import { contextOf } from '../../page/commands.ts';
import type { CommandContext, Page } from '../../page/page.ts';
import { MenuContext, type MenuItem, type MenuRequest, type ShowMenu } from '../../parts/menu/request.ts';
import { groupsOf } from './menus.ts';

/** Menus, and the commands that only they and the search have. */
type MenuModule = typeof import('../../parts/menu/menu.tsx') & typeof import('./more_commands.ts');

/** The entries of a menu, in groups. */
type MenuGroups = readonly (readonly MenuItem[])[];

interface Props {
  readonly page: Page;
  readonly children: ComponentChildren;
}

/** Lets what it contains show menus, one at a time. Their code is loaded with the first one. */
export function MenuHost({ page, children }: Props) {
  const request = useSignal<MenuRequest | null>(null);
  const module = useRef<MenuModule | null>(null);
  const itemsOf = useCallback(
    (asked: MenuRequest): MenuGroups => {
      if ('items' in asked) return inGroups(asked.items);
      module.current?.addMoreCommands(page);
      const now = (): CommandContext => ({ ...contextOf(page), row: asked.row ?? null, table: asked.table ?? null });
      const groups = groupsOf(asked.menu, now()).map((group) =>
        group.map((command) => ({
          id: command.id,
          title: command.saysAbout ? `${command.title}: ${command.about?.(now())}` : (command.inMenu ?? command.title),
          chord: command.keys[0],
          run: () => command.run(now()),
        })),
      );
      const own = asked.row?.own ?? [];
      return own.length > 0 ? [own, ...groups] : groups;
    },
    [page],
  );
  const close = (asked: MenuRequest) => {
    if (request.peek() !== asked) return;
    request.value = null;
    asked.onClose?.();
  };
  const show: ShowMenu = useCallback(
    (next) => {
      const before = request.peek();
      if (before) close(before);
      if (before?.button && before.button === next.button) return false;
      if (module.current) {
        if (itemsOf(next).length === 0) return false;
        request.value = next;
      } else {
        Promise.all([import('../../parts/menu/menu.tsx'), import('./more_commands.ts')]).then(
          ([menus, more]) => {
            module.current = { ...menus, ...more };
            if (itemsOf(next).length > 0) request.value = next;
            else next.onClose?.();
          },
          () => {
            page.workbench.warn('The menu could not be loaded.');
            next.onClose?.();
          },
        );
      }
      return true;
    },
    [itemsOf, page, request],
  );
  const now = request.value;
  const Menu = module.current?.Menu;
  return (
    <MenuContext.Provider value={show}>
      {children}
      {now && Menu && (
        // A landmark, so that all of the page is in one.
        <section aria-label="Menu">
          <Menu
            request={now}
            groups={itemsOf(now)}
            run={(item) => {
              close(now);
              // The focus returns to where it was first: the command may move it from there.
              requestAnimationFrame(item.run);
            }}
            close={() => close(now)}
          />
        </section>
      )}
    </MenuContext.Provider>
  );
}

/** Entries in groups, as they say where one begins. */
function inGroups(items: readonly MenuItem[]): MenuGroups {
  const groups: MenuItem[][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last && !item.begins) last.push(item);
    else groups.push([item]);
  }
  return groups;
}
