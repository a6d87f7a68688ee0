import { useEffect, useMemo } from 'preact/hooks';
import { bringToFront, type Dock as DockState, FIRST_HEIGHT, LEAST_HEIGHT } from '../../page/dock.ts';
import { type Page, type Panel, rowsOf } from '../../page/page.ts';
import { Lazy } from '../../parts/lazy.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { More } from './more.tsx';
import { createPanelViews, offeredTo, tabsOf } from './panel.ts';
import { RangeMark, WhoseChoice } from './scope.tsx';
import './dock.css';

interface Props {
  readonly open: OpenTrace;
  readonly page: Page;
}

const loadNews = async () => (await import('../served/growing.tsx')).News;
const loadSwitch = async () => (await import('../two/switch.tsx')).SideSwitch;

/** CSS pixels that a key moves the divider. */
const STEP = 24;
/** CSS pixels that the dock leaves to the timeline. */
const SPARED = 220;

/** The panels below the timeline, one in front. Folded, it shows the tabs only. */
export function Dock({ open, page }: Props) {
  const { dock, theme } = page;
  const inOrder = offeredTo(open, rowsOf(page, 'panels'));
  // Until the format is known, no panel is in front: one that goes away at once would ask for statistics in vain.
  const info = open.trace.info.value;
  const byId = (id: string | undefined) =>
    id === undefined ? undefined : inOrder.find((panel) => panel.id === id || panel.views?.includes(id));
  // The tab that suits the format best comes first.
  const first = byId(info?.firstTab);
  const offered = first ? [first, ...inOrder.filter((panel) => panel !== first)] : inOrder;
  const front = info && (byId(dock.front.value[info.format]) ?? offered[0]);
  // Tabs come at once, when it is known which: those that come one by one would move the others.
  const { tabs, more } = tabsOf(info ? offered : [], front ?? undefined, open);
  const titleOf = (panel: Panel) => panel.titleFor?.(open) ?? panel.title;
  const isOpen = dock.open.value;
  const pair = open.pair.value;
  const own = useMemo(() => createPanelViews(open, page), [open, page]);
  useEffect(() => own.dispose, [own]);
  const ofBoth = useMemo(() => createPanelViews(open, page), [pair, page]);
  useEffect(() => ofBoth.dispose, [ofBoth]);
  const viewsOf = (panel: Panel) => (panel.ofPair ? ofBoth : own).of(panel);
  const asked = offered.filter((panel) => panel.isAsked?.(open));
  useEffect(() => {
    for (const panel of asked) viewsOf(panel).begin();
  }, [own, ofBoth, asked.map(({ id }) => id).join()]);
  const choose = (panel: Panel) => bringToFront(dock, info?.format, panel.id);
  const onTabKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined || !front) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(front) + by + tabs.length) % tabs.length]!;
    choose(next);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  const status = open.trace.status.value;
  const emptiness =
    status.at === 'ready' &&
    !open.trace.progress.value.extent &&
    (status.how === 'growing' ? 'Nothing has been read yet.' : info?.whenEmpty);
  const Front = isOpen && front ? viewsOf(front).component : null;
  return (
    <section
      class={isOpen ? 'dock' : 'dock folded'}
      aria-label="Panels"
      style={isOpen ? { '--dock': heightOf(dock) } : undefined}
    >
      {isOpen && <DockDivider dock={dock} />}
      <div class="dock-bar">
        {pair && <Lazy load={loadSwitch} props={{ pair, open }} />}
        <div class="tabs rigid" role="tablist" aria-label="Panels" onKeyDown={onTabKey}>
          {tabs.map((panel) => (
            <button
              type="button"
              class="plain tab"
              role="tab"
              key={panel.id}
              id={`tab-${panel.id}`}
              aria-selected={isOpen && panel === front}
              aria-controls={isOpen ? 'dock-panel' : undefined}
              tabIndex={panel === front ? 0 : -1}
              onClick={() => choose(panel)}
            >
              {titleOf(panel)}
            </button>
          ))}
        </div>
        {more.length > 0 && (
          <More
            items={more.map((panel) => [panel.id, titleOf(panel)])}
            choose={(id) => {
              const panel = more.find((one) => one.id === id);
              if (!panel) return;
              choose(panel);
              requestAnimationFrame(() => document.getElementById(`tab-${id}`)?.focus());
            }}
          />
        )}
        <div class="dock-scope row">
          {isOpen && front && !front.ofAllThreads && <WhoseChoice open={open} />}
          {isOpen && front && <RangeMark open={open} />}
          {isOpen && open.trace.follows.value && <Lazy key={open.id} load={loadNews} props={{ open }} />}
        </div>
        <button
          type="button"
          class="plain fold"
          aria-expanded={isOpen}
          aria-label={isOpen ? 'Fold the panels' : 'Unfold the panels'}
          title={isOpen ? 'Fold' : 'Unfold'}
          onClick={() => {
            dock.open.value = !isOpen;
          }}
        >
          <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
            <path d={isOpen ? 'M1 3l4 4 4-4' : 'M1 7l4-4 4 4'} />
          </svg>
        </button>
      </div>
      {Front && front && (
        <div class="dock-panel" id="dock-panel" role="tabpanel" aria-labelledby={`tab-${front.id}`}>
          {emptiness && !front.ofPair && !front.ofEmpty ? (
            <p class="panel-note muted">{emptiness}</p>
          ) : (
            <Front key={front.ofPair ? front.id : `${front.id} ${open.id}`} theme={theme} />
          )}
        </div>
      )}
    </section>
  );
}

/** The height of the open dock: what the user has chosen, or what is needed. Until that is known, the timeline keeps half of the window. */
function heightOf({ height, needed }: DockState): string {
  const chosen = height.value ?? needed.value;
  const most = chosen === null ? '50vh - var(--header)' : `100vh - ${SPARED}px`;
  return `max(${LEAST_HEIGHT}px, min(${chosen ?? FIRST_HEIGHT}px, ${most}))`;
}

/** The upper edge of the dock, which the pointer drags and the arrow keys move. */
function DockDivider({ dock }: { dock: DockState }) {
  const height = dock.height.value ?? dock.needed.value ?? FIRST_HEIGHT;
  const set = (height: number) => {
    dock.height.value = Math.round(Math.max(LEAST_HEIGHT, Math.min(innerHeight - SPARED, height)));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a thematic break is not what a movable separator is.
    <div
      class="dock-divider"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the panels"
      aria-valuenow={height}
      aria-valuemin={LEAST_HEIGHT}
      aria-valuemax={Math.max(LEAST_HEIGHT, innerHeight - SPARED)}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const bottom = event.currentTarget.parentElement?.getBoundingClientRect().bottom ?? innerHeight;
        set(bottom - event.clientY);
      }}
      onDblClick={() => {
        dock.height.value = null;
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowUp') set(height + STEP);
        else if (event.key === 'ArrowDown') set(height - STEP);
        else return;
        event.preventDefault();
      }}
    />
  );
}
