import type { ComponentType } from 'preact';
import type { Dispose } from '../../base/scope.ts';
import type { OpenTrace } from '../../model/open_trace.ts';
import type { ThemeControl } from '../../model/theme.ts';

/**
 * A panel of the dock: a folder of `web/ui/panels` and a line of `panels.ts`. It exists once a page; a state that
 * outlives a trace belongs to it.
 */
export interface Panel {
  /** Stored in the browser as the front tab, so it never changes. */
  readonly id: string;
  readonly title: string;
  /** The title for this trace, if it differs. */
  readonly titleFor?: (open: OpenTrace) => string;
  /** Further values of `TraceInfo.firstTab` that mean this panel: one of its views is in front then. */
  readonly views?: readonly string[];
  /** Whether this trace has the panel; every trace has it if left out. */
  readonly offered?: (open: OpenTrace) => boolean;
  /** Whether the panel of this trace has its place in the menu *More*: one person in ten needs it. */
  readonly isMore?: (open: OpenTrace) => boolean;
  /** The panel shows the whole file, regardless of the range and the thread. */
  readonly unscoped?: boolean;
  /** The panel shows the range, and all threads. */
  readonly ofAllThreads?: boolean;
  /** Makes the panel of one trace when it first comes to the front. */
  readonly create: (open: OpenTrace) => PanelView;
}

/** Most tabs in sight. */
const MOST = 5;

/** The panels of a trace that have a tab, and those of the menu *More*. The one in front has a tab, the last if need be. */
export function tabsOf(
  panels: readonly Panel[],
  front: Panel | undefined,
  open: OpenTrace,
): { readonly tabs: readonly Panel[]; readonly more: readonly Panel[] } {
  const first = panels.filter((panel) => !panel.isMore?.(open)).slice(0, MOST);
  const tabs = !front || first.includes(front) ? first : [...first.slice(0, MOST - 1), front];
  return { tabs, more: panels.filter((panel) => !tabs.includes(panel)) };
}

/** The panel of one trace. */
export interface PanelView {
  /** Mounted while the tab is in front and the dock is open. */
  readonly component: ComponentType<PanelProps>;
  /** Called when the trace leaves the screen. */
  readonly dispose?: Dispose;
}

/** What the dock gives to a panel's component. */
export interface PanelProps {
  readonly theme: ThemeControl;
}

/** The panels of one trace, made as they come to the front. */
export interface PanelViews {
  of(panel: Panel): PanelView;
  readonly dispose: Dispose;
}

/** No panels yet. */
export function createPanelViews(open: OpenTrace): PanelViews {
  const views = new Map<Panel, PanelView>();
  return {
    of: (panel) => {
      let view = views.get(panel);
      if (!view) {
        view = panel.create(open);
        views.set(panel, view);
      }
      return view;
    },
    dispose: () => {
      for (const view of views.values()) view.dispose?.();
      views.clear();
    },
  };
}
