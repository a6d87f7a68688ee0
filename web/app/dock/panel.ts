import type { Dispose } from '../../base/scope.ts';
import type { Page, Pane, Panel } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { type LazyView, lazily } from './lazy.tsx';

/** Most tabs in sight. */
const MOST = 5;

/**
 * The panels of a trace that have a tab, and those of the menu *More*, if there are too many for tabs. The one in front has a
 * tab, the last if need be.
 */
export function tabsOf(
  panels: readonly Panel[],
  front: Panel | undefined,
  open: OpenTrace,
): { readonly tabs: readonly Panel[]; readonly more: readonly Panel[] } {
  if (panels.length <= MOST) return { tabs: panels, more: [] };
  const first = panels.filter((panel) => !panel.isMore?.(open)).slice(0, MOST);
  const tabs = !front || first.includes(front) ? first : [...first.slice(0, MOST - 1), front];
  return { tabs, more: panels.filter((panel) => !tabs.includes(panel)) };
}

/** The panels or panes that a trace has. Subscribes. */
export function offeredTo<Row extends Pane>(open: OpenTrace, rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ offered }) => offered?.(open) ?? true);
}

/** The panels of one trace, made as they come to the front. */
export interface PanelViews {
  of(panel: Panel): LazyView;
  readonly dispose: Dispose;
}

/** No panels yet. */
export function createPanelViews(open: OpenTrace, page: Page): PanelViews {
  const views = new Map<Panel, LazyView>();
  return {
    of: (panel) => {
      let view = views.get(panel);
      if (!view) {
        view = lazily(panel.load, (viewOf) => viewOf(open, page));
        views.set(panel, view);
      }
      return view;
    },
    dispose: () => {
      for (const view of views.values()) view.dispose();
      views.clear();
    },
  };
}
