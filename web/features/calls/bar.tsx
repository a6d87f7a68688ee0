import { useSignal } from '@preact/signals';
import { shortened } from '../../base/format.ts';
import { type MenuItem, useMenu } from '../../parts/menu/request.ts';
import { anchorOf } from '../../parts/popover.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { type Change, changeTitle, parseFilter } from '../../trace/transforms.ts';
import type { Calls } from './calls.ts';

interface ActionsProps {
  readonly open: OpenTrace;
  readonly calls: Calls;
  /** Name id, or -1 while there is none: the buttons keep their place. */
  readonly name: number;
  readonly sandwich: (name: number) => void;
  /** Whether the call paths can be changed here. */
  readonly changes: boolean;
}

/** What can be done with one function. */
export function FunctionActions({ open, calls, name, sandwich, changes }: ActionsProps) {
  const none = name < 0;
  const title = none ? 'the chosen function' : shortened(open.trace.names.of(name));
  const ready = open.trace.status.value.at !== 'loading';
  const isSandwich = calls.view.value === 'flame' && calls.mode.value === 'sandwich' && calls.path.value[0] === name;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form.
    <span class="actions rigid" role="group" aria-label={none ? 'Function' : `Function ${title}`}>
      <button
        type="button"
        class="plain link"
        disabled={!ready || none}
        title={ready ? `List the calls of ${title}` : 'Available once the file is read'}
        onClick={() => calls.list(name)}
      >
        List calls
      </button>
      <button
        type="button"
        class="plain link"
        disabled={none || isSandwich}
        title={`Show callers and callees of ${title}`}
        onClick={() => sandwich(name)}
      >
        Sandwich
      </button>
      {changes && (
        <>
          <button
            type="button"
            class="plain link"
            disabled={none}
            title={`Start call paths at ${title}`}
            onClick={() => calls.add({ kind: 'focus', name })}
          >
            Focus
          </button>
          <button
            type="button"
            class="plain link"
            disabled={none}
            title={`Hide ${title} and attribute its self time to its callers`}
            onClick={() => calls.add({ kind: 'hide', name })}
          >
            Hide
          </button>
        </>
      )}
    </span>
  );
}

/** The field whose text becomes a filter of call paths. */
export function PathFilter({ calls }: { calls: Calls }) {
  const text = useSignal('');
  const wrong = text.value.trim() === '' ? null : parseFilter(text.value).error;
  return (
    <form
      class="path-filter"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.value.trim() === '' || wrong) return;
        calls.add({ kind: 'only', text: text.value.trim() });
        text.value = '';
      }}
    >
      <input
        type="search"
        placeholder="Filter paths"
        aria-label="Filter call paths"
        title="A part of a name, or /regex/. Enter applies it."
        aria-invalid={wrong !== null}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      {wrong && (
        <span class="wrong floating" role="alert">
          {wrong}
        </span>
      )}
    </form>
  );
}

/** The switch that collapses recursion. */
export function CollapseSwitch({ calls }: { calls: Calls }) {
  const on = calls.changes.value.find(({ kind }) => kind === 'collapse');
  return (
    <label class="collapse row rigid" title="Hide calls of functions that are already on the stack">
      <input
        type="checkbox"
        checked={on !== undefined}
        onChange={() => (on ? calls.remove(on) : calls.add({ kind: 'collapse' }))}
      />
      Collapse recursion
    </label>
  );
}

/**
 * The menu of what a table counts: ticks of the clock, where its frequency is known, and tail calls. It is as narrow whatever there is to
 * choose.
 */
export function CountMenu({ open, calls }: { open: OpenTrace; calls: Calls }) {
  const show = useMenu();
  const { info, status, nested } = open.trace;
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
  if (items.length === 0) return null;
  return (
    <button
      type="button"
      class={calls.inTicks.value || nested ? 'plain icon rigid count-menu on' : 'plain icon rigid count-menu'}
      aria-label="What is counted"
      title={items.map(({ title }) => title).join(', ')}
      aria-haspopup="menu"
      onClick={({ currentTarget, detail }) => {
        show({
          label: 'What is counted',
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

/** The changes of the call paths in their order, each with a button that takes it back. */
export function Chips({ open, calls }: { open: OpenTrace; calls: Calls }) {
  const changes = calls.changes.value;
  if (changes.length === 0) return null;
  return (
    <ul class="chips wrap rigid small" aria-label="Changes to call paths">
      {changes.map((change) => (
        <Chip key={JSON.stringify(change)} open={open} calls={calls} change={change} />
      ))}
      {changes.length > 1 && (
        <li>
          <button type="button" class="plain link" onClick={calls.clear}>
            Clear all
          </button>
        </li>
      )}
    </ul>
  );
}

function Chip({ open, calls, change }: { open: OpenTrace; calls: Calls; change: Change }) {
  const title = shortened(changeTitle(change, open.trace.names));
  return (
    <li class="chip" title={title}>
      <span>{title}</span>
      <button type="button" class="plain" aria-label={`Remove ${title}`} onClick={() => calls.remove(change)}>
        ×
      </button>
    </li>
  );
}
