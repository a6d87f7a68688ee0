import { type MenuItem, useMenu } from '../../parts/menu/request.ts';
import { anchorOf } from '../../parts/popover.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { ActionsOfFunction } from '../../timeline/widgets/path_changes.tsx';
import { chooseShortNames, shortNamesTitle, wantsShortNames } from '../../trace/short_names.ts';
import type { Calls } from './calls.ts';

interface ActionsProps {
  readonly open: OpenTrace;
  readonly calls: Calls;
  /** Name id, or -1 while there is none. */
  readonly name: number;
  readonly sandwich: (name: number) => void;
  /** Whether the call paths can be changed here. */
  readonly changes: boolean;
}

/** What can be done with one function. */
export function FunctionActions({ open: { trace }, calls, name, sandwich, changes }: ActionsProps) {
  return (
    <ActionsOfFunction
      name={name}
      names={trace.names}
      notListed={trace.status.value.at === 'loading' ? 'Available once the file is read' : null}
      list={calls.list}
      isSandwich={calls.view.value === 'flame' && calls.mode.value === 'sandwich' && calls.path.value[0] === name}
      sandwich={sandwich}
      paths={changes ? calls : null}
    />
  );
}

/**
 * The menu of what a table shows: ticks of the clock, where its frequency is known, tail calls and short names. It is as narrow whatever
 * there is to choose.
 */
export function ShownMenu({ open, calls }: { open: OpenTrace; calls: Calls }) {
  const show = useMenu();
  const { info, status, nested, names, hasShortNames } = open.trace;
  const items: MenuItem[] = [];
  if (info.value?.clock.kind === 'seconds') {
    const inTicks = calls.inTicks.value;
    const change = () => {
      calls.inTicks.value = !inTicks;
    };
    items.push({ id: 'ticks', title: inTicks ? 'Show lengths in seconds' : 'Show lengths in ticks', run: change });
  }
  if (info.value?.offers.includes('tailCalls') && status.value.at === 'ready') {
    const title = nested ? 'Show tail calls beside their callers' : 'Show tail calls under their callers';
    items.push({ id: 'tail-calls', title, run: () => open.nestTailCalls(!nested) });
  }
  if (hasShortNames.value) {
    const isShort = wantsShortNames.value;
    items.push({ id: 'short-names', title: shortNamesTitle(!isShort), run: () => chooseShortNames(!isShort) });
  }
  if (items.length === 0) return null;
  return (
    <button
      type="button"
      class={
        calls.inTicks.value || nested || names.isShort.value
          ? 'plain icon rigid shown-menu on'
          : 'plain icon rigid shown-menu'
      }
      aria-label="What is shown"
      title={items.map(({ title }) => title).join(', ')}
      aria-haspopup="menu"
      onClick={({ currentTarget, detail }) => {
        show({
          label: 'What is shown',
          items,
          at: anchorOf(currentTarget, 2),
          byKey: detail === 0,
          button: currentTarget,
        });
      }}
    >
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
        <path d="M1 4h5m4 0h3M1 10h2m4 0h6M8 2v4M5 8v4" fill="none" stroke="currentColor" stroke-width="1.4" />
      </svg>
    </button>
  );
}
