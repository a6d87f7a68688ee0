import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { CommandContext } from '../commands/context.ts';
import type { Page } from '../page.ts';

type PaletteModule = typeof import('./palette.tsx');

interface Props {
  readonly page: Page;
  readonly contextNow: () => CommandContext;
  readonly close: () => void;
}

/** The palette, whose code is loaded when it is first shown. */
export function LazyPalette({ page, contextNow, close }: Props) {
  const module = useSignal<PaletteModule | null>(null);
  const context = useMemo(contextNow, []);
  useEffect(() => {
    import('./palette.tsx').then(
      (loaded) => {
        module.value = loaded;
      },
      () => {
        page.workbench.tell('The list of commands could not be loaded.');
        close();
      },
    );
  }, []);
  const Palette = module.value?.Palette;
  return Palette ? <Palette page={page} context={context} close={close} /> : null;
}
