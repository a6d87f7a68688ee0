import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { whenIdle } from '../../base/idle.ts';
import type { Dispose } from '../../base/scope.ts';
import type { PanelProps, PanelView } from '../../page/page.ts';

/** A panel that is made when it first comes to the front. */
export interface LazyView extends PanelView {
  /** Makes it now. */
  begin(): void;
  readonly dispose: Dispose;
}

/**
 * The panel of a trace whose code is loaded when it first comes to the front. `make` gets the module; the panel is the
 * same afterwards, however often it is mounted.
 */
export function lazily<Module>(load: () => Promise<Module>, make: (module: Module) => PanelView): LazyView {
  const view = signal<PanelView | null>(null);
  const failed = signal(false);
  let disposed = false;
  const start = async () => {
    failed.value = false;
    try {
      const module = await load();
      if (!disposed && !view.peek()) view.value = make(module);
    } catch {
      failed.value = true;
    }
  };
  const component: ComponentType<PanelProps> = ({ theme }) => {
    useEffect(() => {
      // The first picture of a trace comes before its panels.
      return view.peek() ? undefined : whenIdle(() => void start(), 200);
    }, []);
    const Panel = view.value?.component;
    if (Panel) return <Panel theme={theme} />;
    if (!failed.value) return null;
    return (
      <p class="panel-note muted" role="alert">
        This panel could not be loaded.{' '}
        <button type="button" onClick={start}>
          Try again
        </button>
      </p>
    );
  };
  return {
    component,
    begin: () => void start(),
    dispose: () => {
      disposed = true;
      view.peek()?.dispose?.();
    },
  };
}
