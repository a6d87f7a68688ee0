import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import type { OpenTrace } from '../../model/open_trace.ts';
import type { ThemeControl } from '../../model/theme.ts';
import { Details } from '../details/details.tsx';
import { Lazy } from '../parts/lazy.tsx';
import { front, TAB_TITLES, type Tab, tabsOf } from './front.ts';
import './pane.css';

/**
 * The pane about the selection: details, pictures of traces that draw, and state: what the OpenGL context holds, or registers and memory
 * of traces that have them.
 */
export function SelectionPane({ open, theme }: { open: OpenTrace; theme: ThemeControl }) {
  const offers = open.trace.info.value?.offers ?? [];
  const tabs = tabsOf(offers);
  const hasTimes = offers.includes('graphics') && open.trace.companions.value.some(({ kind }) => kind === 'times');
  useEffect(() => {
    // The survey reads them, whatever is shown.
    if (hasTimes) void import('../survey/surveys.ts').then(({ surveyOf }) => surveyOf(open));
  }, [open, hasTimes]);
  if (tabs.length === 1) return <Details open={open} theme={theme} />;
  const shown = tabs.includes(front.value) ? front.value : 'details';
  const instead = shown !== 'details' && (
    <div id={`${shown}-panel`} role="tabpanel" aria-labelledby={`tab-of-${shown}`}>
      <Lazy key={`${shown} ${open.id}`} load={() => LOADERS[shown](open)} props={{}} />
    </div>
  );
  return (
    <Details
      open={open}
      theme={theme}
      tabs={<Tabs tabs={tabs} shown={shown} />}
      instead={instead}
      label={TAB_TITLES[shown]}
    />
  );
}

/** The parts of the pane whose code is loaded when they are first shown. */
const LOADERS: Readonly<Record<Exclude<Tab, 'details'>, (open: OpenTrace) => Promise<ComponentType>>> = {
  picture: async (open) => (await import('../replay/picture.tsx')).pictureOf(open),
  state: async (open) =>
    open.trace.info.peek()?.offers.includes('graphics')
      ? (await import('../gl_state/gl_state.tsx')).glStateOf(open)
      : (await import('./state.tsx')).stateOf(open),
};

function Tabs({ tabs, shown }: { tabs: readonly Tab[]; shown: Tab }) {
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (by === 0) return;
    event.preventDefault();
    front.value = tabs[(tabs.indexOf(shown) + by + tabs.length) % tabs.length] ?? 'details';
    document.getElementById(`tab-of-${front.value}`)?.focus();
  };
  return (
    <div class="state-tabs" role="tablist" aria-label="About the selection" onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          type="button"
          class="plain state-tab"
          role="tab"
          key={tab}
          id={`tab-of-${tab}`}
          aria-selected={shown === tab}
          aria-controls={shown === tab && tab !== 'details' ? `${tab}-panel` : undefined}
          tabIndex={shown === tab ? 0 : -1}
          onClick={() => {
            front.value = tab;
          }}
        >
          {TAB_TITLES[tab]}
        </button>
      ))}
    </div>
  );
}
