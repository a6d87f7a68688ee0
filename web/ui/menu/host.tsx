import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useCallback, useRef } from 'preact/hooks';
import { type Command, commandOf } from '../commands/commands.ts';
import type { CommandContext } from '../commands/context.ts';
import type { Menu as MenuOf } from '../commands/menus.ts';
import { MenuContext, type MenuItem, type MenuRequest, type ShowMenu } from './request.ts';

type MenuModule = typeof import('./menu.tsx');
/** The entries of a menu, in groups. */
type MenuGroups = readonly (readonly MenuItem[])[];

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
  const itemsOf = useCallback(
    (asked: MenuRequest): MenuGroups => {
      if ('items' in asked) return asked.items.length > 0 ? [asked.items] : [];
      const contextOf = (): CommandContext => ({ ...contextNow(), row: asked.row ?? null, table: asked.table ?? null });
      return groupsOf(asked.menu, contextOf()).map((group) =>
        group.map((command) => ({
          id: command.id,
          title: command.inMenu ?? command.title,
          chord: command.keys[0],
          run: () => command.run(contextOf()),
        })),
      );
    },
    [contextNow],
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
      if (itemsOf(next).length === 0) return false;
      if (module.current) request.value = next;
      else {
        import('./menu.tsx').then(
          (loaded) => {
            module.current = loaded;
            request.value = next;
          },
          () => {
            tell('The menu could not be loaded.');
            next.onClose?.();
          },
        );
      }
      return true;
    },
    [itemsOf, tell, request],
  );
  const now = request.value;
  const Menu = module.current?.Menu;
  return (
    <MenuContext.Provider value={show}>
      {children}
      {now && Menu && (
        <Menu
          request={now}
          groups={itemsOf(now)}
          run={(item) => {
            close(now);
            // The focus returns to where it was, from where the command may move it.
            requestAnimationFrame(item.run);
          }}
          close={() => close(now)}
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
