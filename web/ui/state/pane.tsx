import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ThemeControl } from '../../model/theme.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import { Details } from '../details/details.tsx';
import './pane.css';

const TABS = ['details', 'state'] as const;
const TITLES = { details: 'Details', state: 'State' };

/** What the pane shows of traces that have both. It outlives a trace. */
const front = signal<(typeof TABS)[number]>('details');

/**
 * The pane about the selection: details, and its state: registers and memory for traces that tell what each step accesses, what the
 * OpenGL context holds for those of graphics calls.
 */
export function SelectionPane({ open, theme }: { open: OpenTrace; theme: ThemeControl }) {
  const offers = open.trace.info.value?.offers;
  const hasState = offers?.includes('state') || offers?.includes('graphics');
  if (!hasState) return <Details open={open} theme={theme} />;
  const state = front.value === 'state' && (
    <div id="state-panel" role="tabpanel" aria-labelledby="tab-of-state">
      <LazyState key={open.id} open={open} />
    </div>
  );
  return <Details open={open} theme={theme} tabs={<Tabs />} instead={state} />;
}

function Tabs() {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    front.value = front.value === 'details' ? 'state' : 'details';
    document.getElementById(`tab-of-${front.value}`)?.focus();
  };
  return (
    <div class="state-tabs" role="tablist" aria-label="About the selection" onKeyDown={onKeyDown}>
      {TABS.map((tab) => (
        <button
          type="button"
          class="plain state-tab"
          role="tab"
          key={tab}
          id={`tab-of-${tab}`}
          aria-selected={front.value === tab}
          aria-controls={front.value === tab && tab === 'state' ? 'state-panel' : undefined}
          tabIndex={front.value === tab ? 0 : -1}
          onClick={() => {
            front.value = tab;
          }}
        >
          {TITLES[tab]}
        </button>
      ))}
    </div>
  );
}

async function loadState(open: OpenTrace): Promise<ComponentType> {
  if (open.trace.info.peek()?.offers.includes('graphics'))
    return (await import('../gl_state/gl_state.tsx')).glStateOf(open);
  return (await import('./state.tsx')).stateOf(open);
}

/** The state, whose code is loaded when it is first shown. Its index is kept as long as the trace. */
function LazyState({ open }: { open: OpenTrace }) {
  const loaded = useMemo(() => ({ view: signal<ComponentType | null>(null), failed: signal(false) }), []);
  const load = async () => {
    loaded.failed.value = false;
    try {
      loaded.view.value = await loadState(open);
    } catch {
      loaded.failed.value = true;
    }
  };
  useEffect(() => void load(), []);
  const View = loaded.view.value;
  if (View) return <View />;
  if (!loaded.failed.value) return null;
  return (
    <p class="muted" role="alert">
      This part of the page could not be loaded.{' '}
      <button type="button" onClick={() => void load()}>
        Try again
      </button>
    </p>
  );
}
