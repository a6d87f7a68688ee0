import { useMemo } from 'preact/hooks';
import { contextOf } from '../../page/commands.ts';
import type { Page } from '../../page/page.ts';
import { Lazy } from '../../parts/lazy.tsx';

interface Props {
  readonly page: Page;
  readonly close: () => void;
}

const load = async () => (await import('./palette.tsx')).Palette;

/** The palette. It acts on what was selected when it was asked for. */
export function LazyPalette({ page, close }: Props) {
  const context = useMemo(() => contextOf(page), []);
  const failed = () => {
    page.workbench.warn('The list of commands could not be loaded.');
    close();
  };
  return <Lazy load={load} props={{ page, context, close }} failed={failed} />;
}
