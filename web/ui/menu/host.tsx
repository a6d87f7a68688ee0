import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useCallback, useRef } from 'preact/hooks';
import { type Command, commandOf } from '../commands/commands.ts';
import type { CommandContext } from '../commands/context.ts';
import type { Menu as MenuOf } from '../commands/menus.ts';
import { MenuContext, type MenuRequest, type ShowMenu } from './request.ts';

type MenuModule = typeof import('./menu.tsx');

interface Props {
  readonly contextNow: () => CommandContext;
  /** Tells the user a sentence. */
  readonly tell: (sentence: string) => void;
  readonly children: ComponentChildren;
}

/** Lets what it contains show menus, one at a time. Their code is loaded with the first one. */
export function MenuHost({ contextNow, tell, children }: Props) {
  const request = useSignal<MenuRequest | null>(null);
  const module = useRef<MenuModule | null>(null);
  const contextOf = useCallback(
    ({ row, table }: MenuRequest): CommandContext => ({ ...contextNow(), row, table: table ?? null }),
    [contextNow],
  );
  const show: ShowMenu = useCallback(
    (next) => {
      if (groupsOf(next.menu, contextOf(next)).length === 0) return false;
      if (module.current) request.value = next;
      else {
        import('./menu.tsx').then(
          (loaded) => {
            module.current = loaded;
            request.value = next;
          },
          () => tell('The menu could not be loaded.'),
        );
      }
      return true;
    },
    [contextOf, tell, request],
  );
  const now = request.value;
  const Menu = module.current?.Menu;
  const close = () => {
    if (request.peek() === now) request.value = null;
  };
  return (
    <MenuContext.Provider value={show}>
      {children}
      {now && Menu && (
        <Menu
          request={now}
          groups={groupsOf(now.menu, contextOf(now))}
          run={(command) => {
            close();
            // The focus returns to where it was, from where the command may move it.
            requestAnimationFrame(() => command.run(contextOf(now)));
          }}
          close={close}
        />
      )}
    </MenuContext.Provider>
  );
}

/** The commands of a menu that have an effect, in groups. */
export function groupsOf(menu: MenuOf, context: CommandContext): readonly (readonly Command[])[] {
  const groups: Command[][] = [[]];
  for (const id of menu) {
    if (id === null) groups.push([]);
    else if (commandOf(id).enabled(context)) groups.at(-1)!.push(commandOf(id));
  }
  return groups.filter((group) => group.length > 0);
}
