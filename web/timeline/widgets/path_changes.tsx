import { useSignal } from '@preact/signals';
import { shortened } from '../../base/format.ts';
import type { Names } from '../../trace/names.ts';
import type { PathActions } from '../../trace/path_actions.ts';
import { parseFilter } from '../../trace/path_changes.ts';
import { type Change, changeTitle } from '../../trace/transforms.ts';
import './path_changes.css';

interface ActionsProps {
  /** Name id, or -1 while there is none: the buttons keep their place. */
  readonly name: number;
  readonly names: Pick<Names, 'of'>;
  /** Why calls cannot be listed, in a sentence; null if they can. */
  readonly notListed: string | null;
  readonly list: (name: number) => void;
  /** The sandwich of this function is on the screen. */
  readonly isSandwich: boolean;
  readonly sandwich: (name: number) => void;
  /** What changes the call paths; null where they cannot be changed. */
  readonly paths: PathActions | null;
}

/** What can be done with one function. */
export function ActionsOfFunction({ name, names, notListed, list, isSandwich, sandwich, paths }: ActionsProps) {
  const none = name < 0;
  const title = none ? 'the chosen function' : shortened(names.of(name));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form.
    <span class="actions rigid" role="group" aria-label={none ? 'Function' : `Function ${title}`}>
      <button
        type="button"
        class="plain link"
        disabled={notListed !== null || none}
        title={notListed ?? `List the calls of ${title}`}
        onClick={() => list(name)}
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
      {paths && (
        <>
          <button
            type="button"
            class="plain link"
            disabled={none}
            title={`Start call paths at ${title}`}
            onClick={() => paths.add({ kind: 'focus', name })}
          >
            Focus
          </button>
          <button
            type="button"
            class="plain link"
            disabled={none}
            title={`Hide ${title} and attribute its self time to its callers`}
            onClick={() => paths.add({ kind: 'hide', name })}
          >
            Hide
          </button>
        </>
      )}
    </span>
  );
}

/** The field whose text becomes a filter of call paths. */
export function PathFilter({ paths }: { paths: PathActions }) {
  const text = useSignal('');
  const wrong = text.value.trim() === '' ? null : parseFilter(text.value).error;
  return (
    <form
      class="path-filter"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.value.trim() === '' || wrong) return;
        paths.add({ kind: 'only', text: text.value.trim() });
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
export function CollapseSwitch({ paths }: { paths: PathActions }) {
  const on = paths.changes.value.find(({ kind }) => kind === 'collapse');
  return (
    <label class="collapse row rigid" title="Hide calls of functions that are already on the stack">
      <input
        type="checkbox"
        checked={on !== undefined}
        onChange={() => (on ? paths.remove(on) : paths.add({ kind: 'collapse' }))}
      />
      Collapse recursion
    </label>
  );
}

interface ChipsProps {
  readonly paths: PathActions;
  readonly names: Pick<Names, 'of'>;
}

/** The changes of the call paths in their order, each with a button that takes it back. */
export function Chips({ paths, names }: ChipsProps) {
  const changes = paths.changes.value;
  if (changes.length === 0) return null;
  return (
    <ul class="chips wrap rigid small" aria-label="Changes to call paths">
      {changes.map((change) => (
        <Chip key={JSON.stringify(change)} names={names} paths={paths} change={change} />
      ))}
      {changes.length > 1 && (
        <li>
          <button type="button" class="plain link" onClick={paths.clear}>
            Clear all
          </button>
        </li>
      )}
    </ul>
  );
}

function Chip({ paths, names, change }: ChipsProps & { readonly change: Change }) {
  const title = shortened(changeTitle(change, names));
  return (
    <li class="chip" title={title}>
      <span>{title}</span>
      <button type="button" class="plain" aria-label={`Remove ${title}`} onClick={() => paths.remove(change)}>
        ×
      </button>
    </li>
  );
}
