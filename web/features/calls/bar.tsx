import { useSignal } from '@preact/signals';
import { shortened } from '../../base/format.ts';
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
      {!isSandwich && (
        <button
          type="button"
          class="plain link"
          disabled={none}
          title={`Show callers and callees of ${title}`}
          onClick={() => sandwich(name)}
        >
          Sandwich
        </button>
      )}
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

/** What a table counts: the switch to ticks of the clock, where its frequency is known, and that of tail calls. */
export function CountSwitches({ open, calls }: { open: OpenTrace; calls: Calls }) {
  const { info, status, nested } = open.trace;
  return (
    <>
      {info.value?.clock.kind === 'seconds' && (
        <label class="collapse row rigid" title="Show lengths in ticks of the recording's clock">
          <input
            type="checkbox"
            checked={calls.inTicks.value}
            onChange={(event) => {
              calls.inTicks.value = event.currentTarget.checked;
            }}
          />
          Ticks
        </label>
      )}
      {info.value?.offers.includes('tailCalls') && status.value.at === 'ready' && (
        <label
          class="collapse row rigid"
          title="Attribute tail callees to the function that jumped to them (reopens the trace)"
        >
          <input
            type="checkbox"
            checked={nested}
            onChange={(event) => open.nestTailCalls(event.currentTarget.checked)}
          />
          Nest tail calls
        </label>
      )}
    </>
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
