import type { Signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { watch } from '../base/watch.ts';
import { Details, StartHere } from '../features/details/details.tsx';
import { DETAILS } from '../page/dock.ts';
import { type Page, type Pane, rowsOf } from '../page/page.ts';
import { Lazy } from '../parts/lazy.tsx';
import { SideMark } from '../parts/side_mark.tsx';
import { type OpenTrace, sideOf } from '../timeline/open_trace.ts';
import { offeredTo } from './dock/panel.ts';
import './pane.css';

/** Details, which every trace has, as a tab. */
const DETAILS_TAB = { id: DETAILS, title: 'Details' };
/** The tab, beside a selection, of what Details show without one. */
const START_TAB = { id: 'start', title: 'Start' };

/** The pane about the selection: details, or in their place what features show of it. */
export function SelectionPane({ open, page }: { open: OpenTrace; page: Page }) {
  const { theme, dock } = page;
  const panes = offeredTo(open, rowsOf(page, 'panes'));
  const side = sideOf(open);
  const mark = side && (
    <span class="pane-side">
      <SideMark side={side} />
    </span>
  );
  const { selection } = open;
  useLayoutEffect(
    () =>
      watch([selection.selected, selection.record], () => {
        if (dock.pane.peek() === START_TAB.id) dock.pane.value = DETAILS;
      }),
    [open, dock],
  );
  const isStart = selection.known.value !== null && dock.pane.value === START_TAB.id;
  if (panes.length === 0 && selection.known.value === null) return <Details open={open} page={page} tabs={mark} />;
  const shown = panes.find(({ id }) => id === dock.pane.value);
  const load = async ({ load }: Pane) => (await load())(open, page).component;
  const instead = isStart ? (
    <div id="start-panel" role="tabpanel" aria-labelledby="tab-of-start">
      <StartHere open={open} page={page} />
    </div>
  ) : (
    shown && (
      <div id={`${shown.id}-panel`} role="tabpanel" aria-labelledby={`tab-of-${shown.id}`}>
        <Lazy key={`${shown.id} ${open.id}`} load={() => load(shown)} props={{ theme }} />
      </div>
    )
  );
  const tabs = [DETAILS_TAB, ...panes, ...(selection.known.value === null ? [] : [START_TAB])];
  return (
    <Details
      open={open}
      page={page}
      tabs={
        <>
          {mark}
          <Tabs tabs={tabs} shown={isStart ? START_TAB.id : (shown?.id ?? DETAILS)} front={dock.pane} />
        </>
      }
      instead={instead}
      label={(isStart ? START_TAB : (shown ?? DETAILS_TAB)).title}
    />
  );
}

interface TabsProps {
  readonly tabs: readonly Pick<Pane, 'id' | 'title'>[];
  readonly shown: string;
  readonly front: Signal<string>;
}

function Tabs({ tabs, shown, front }: TabsProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const at = tabs.findIndex(({ id }) => id === shown);
    front.value = tabs[(at + by + tabs.length) % tabs.length]?.id ?? DETAILS;
    document.getElementById(`tab-of-${front.value}`)?.focus();
  };
  return (
    <div class="state-tabs" role="tablist" aria-label="About the selection" onKeyDown={onKeyDown}>
      {tabs.map(({ id, title }) => (
        <button
          type="button"
          class="plain tab state-tab"
          role="tab"
          key={id}
          id={`tab-of-${id}`}
          aria-selected={shown === id}
          aria-controls={shown === id && id !== DETAILS ? `${id}-panel` : undefined}
          tabIndex={shown === id ? 0 : -1}
          onClick={() => {
            front.value = id;
          }}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
