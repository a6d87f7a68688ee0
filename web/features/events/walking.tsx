import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { labelsOf } from '../../parts/chord.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { machineOf } from '../../trace/machines.ts';
import { WALK_COMMANDS } from './commands.ts';
import { changed, choicesOf, listsOf, type StepChoice } from './step_choices.ts';
import { WALK_NOUNS, type Walk, type WalkTo } from './walk.ts';
import { walkOf } from './walking.ts';
import './walking.css';

/** What the buttons lead over, into and out of: labels with the ids of the commands. */
const STEPS = [
  ['Over', 'over', 'step-over-back', 'step-over'],
  ['Into', 'step', 'step-into-back', 'step-into'],
  ['Out', 'out', 'step-out-back', 'step-out'],
] as const satisfies readonly (readonly [string, WalkTo, string, string])[];

/** The kinds of steps that can be chosen to go to. */
const KINDS = ['execution', 'system-call', 'interrupt', 'thread', 'mode', 'privilege'] as const;

/** Buttons that walk through the steps of a trace, and why the last walk led nowhere. */
export function WalkBar({ open }: { open: OpenTrace }) {
  const walk = walkOf(open);
  const kind = useSignal<(typeof KINDS)[number]>('execution');
  const noun = WALK_NOUNS[kind.value];
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be laid out as a block. */}
      <div class="walk row rigid" role="group" aria-label="Walk through the steps">
        {STEPS.map(([label, to, back, forward]) => (
          <span class="walk-pair rigid small" key={to}>
            <Button walk={walk} to={to} next={false} {...saidOf(back)} />
            <span aria-hidden="true">{label}</span>
            <Button walk={walk} to={to} next {...saidOf(forward)} />
          </span>
        ))}
        <span class="walk-pair rigid small">
          <Button walk={walk} to={kind.value} next={false} says={`Go to the previous ${noun}`} />
          <select
            aria-label="What to go to"
            value={kind.value}
            onChange={({ currentTarget }) => {
              kind.value = KINDS.find((known) => known === currentTarget.value) ?? 'execution';
            }}
          >
            {KINDS.map((it) => (
              <option key={it} value={it}>
                {WALK_NOUNS[it]}
              </option>
            ))}
          </select>
          <Button walk={walk} to={kind.value} next says={`Go to the next ${noun}`} />
        </span>
        <FilterOfSteps open={open} walk={walk} />
      </div>
      <span class="muted walk-remark" role="status" title={walk.remark.value}>
        {walk.remark.value}
      </span>
    </>
  );
}

/** Chooses the steps to walk to. What it can be is known once the trace is indexed, which begins when the list is first used. */
function FilterOfSteps({ open, walk }: { open: OpenTrace; walk: Walk }) {
  const choices = useSignal<readonly StepChoice[] | null>(null);
  const isAsking = useSignal(false);
  const load = async () => {
    if (isAsking.peek() || choices.peek()) return;
    isAsking.value = true;
    const machine = machineOf(open);
    await machine.ready(Number.MAX_SAFE_INTEGER);
    const kinds = await machine.ask.kinds();
    isAsking.value = false;
    if (kinds && machine.indexed.peek()?.done) choices.value = choicesOf(kinds);
  };
  // The list is made again when the panel comes back.
  useEffect(() => {
    if (walk.filter.peek()) void load();
  }, [walk]);
  const lists = listsOf(choices.value ?? [], walk.filter.value);
  return (
    <>
      {lists.map((list, i) => (
        <select
          key={i}
          class="walk-filter"
          aria-label={i === 0 ? 'Steps to walk through' : `Steps to walk through, condition ${i + 1}`}
          title="Other steps are greyed out, and walking skips them"
          value={list.chosen?.key ?? ''}
          onFocus={() => void load()}
          onPointerEnter={() => void load()}
          onChange={({ currentTarget }) => {
            const wanted = list.choices.find(({ key }) => key === currentTarget.value) ?? null;
            walk.filter.value = changed(lists, i, wanted);
          }}
        >
          <option value="">{i === 0 ? 'All steps' : 'and…'}</option>
          {isAsking.value && <option disabled>Indexing…</option>}
          {choices.value?.length === 0 && <option disabled>All are of one kind</option>}
          {list.choices.map(({ key, words }) => (
            <option key={key} value={key}>
              {words}
            </option>
          ))}
        </select>
      ))}
    </>
  );
}

interface ButtonProps {
  readonly walk: Walk;
  readonly to: WalkTo;
  readonly next: boolean;
  readonly says: string;
  /** The labels of the keys that do the same. */
  readonly keys?: readonly string[];
}

function Button({ walk, to, next, says, keys }: ButtonProps) {
  return (
    <button
      type="button"
      aria-label={says}
      aria-keyshortcuts={keys?.join('+').replace('Ctrl', 'Control')}
      title={keys ? `${says} (${keys.join(' ')})` : says}
      onClick={() => void walk.go(to, next)}
    >
      {next ? '▸' : '◂'}
    </button>
  );
}

/** What a button says that does what a command does. */
function saidOf(id: string): Pick<ButtonProps, 'says' | 'keys'> {
  const { title, keys } = WALK_COMMANDS.find((command) => command.id === id)!;
  return keys[0] === undefined ? { says: title } : { says: title, keys: labelsOf(keys[0]) };
}
