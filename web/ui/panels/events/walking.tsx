import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StepFilter, StepKinds } from '../../../base/steps_protocol.ts';
import { WALK_NOUNS, type Walk, type WalkTo } from '../../../model/walk.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { type CommandId, commandOf } from '../../commands/commands.ts';
import { labelsOf } from '../../commands/sheet.ts';
import { machineOf } from '../../state/machines.ts';
import { walkOf } from '../../state/walking.ts';
import './walking.css';

/** What the buttons lead over, into and out of: labels with the ids of the commands. */
const STEPS = [
  ['Over', 'over', 'step-over-back', 'step-over'],
  ['Into', 'step', 'step-into-back', 'step-into'],
  ['Out', 'out', 'step-out-back', 'step-out'],
] as const satisfies readonly (readonly [string, WalkTo, CommandId, CommandId])[];

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
      <div class="walk" role="group" aria-label="Walk through the steps">
        {STEPS.map(([label, to, back, forward]) => (
          <span class="walk-pair" key={to}>
            <Button walk={walk} to={to} next={false} title={titleOf(back)} />
            <span aria-hidden="true">{label}</span>
            <Button walk={walk} to={to} next title={titleOf(forward)} />
          </span>
        ))}
        <span class="walk-pair">
          <Button walk={walk} to={kind.value} next={false} title={`Go to the previous ${noun}`} />
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
          <Button walk={walk} to={kind.value} next title={`Go to the next ${noun}`} />
        </span>
        <FilterOfSteps open={open} walk={walk} />
      </div>
      <span class="muted walk-remark" role="status">
        {walk.remark.value}
      </span>
    </>
  );
}

/** What the filter can be: its value in the list, and its words. */
interface FilterChoice {
  readonly key: string;
  readonly words: string;
  readonly filter: StepFilter;
}

const NOTHING = { kernel: null, mode: null, thread: null } as const;

function choicesOf({ user, kernel, modes, threads }: StepKinds): readonly FilterChoice[] {
  const privileges = user && kernel ? [false, true] : [];
  return [
    ...privileges.map((is) => ({
      key: is ? 'kernel' : 'user',
      words: is ? 'Kernel' : 'User',
      filter: { ...NOTHING, kernel: is },
    })),
    ...(modes.length > 1 ? modes : []).map(({ number, name }) => ({
      key: `mode ${number}`,
      words: name === '' ? 'No mode' : name,
      filter: { ...NOTHING, mode: number },
    })),
    ...(threads.length > 1 ? [...threads] : []).map((thread) => ({
      key: `thread ${thread}`,
      words: `Thread ${thread}`,
      filter: { ...NOTHING, thread },
    })),
  ];
}

/** Chooses the steps to walk to. What it can be is known once the trace is indexed, which begins when the list is first used. */
function FilterOfSteps({ open, walk }: { open: OpenTrace; walk: Walk }) {
  const choices = useSignal<readonly FilterChoice[] | null>(null);
  const isAsking = useSignal(false);
  const load = async () => {
    if (isAsking.peek() || choices.peek()) return;
    isAsking.value = true;
    const machine = machineOf(open);
    await machine.ready(Number.MAX_SAFE_INTEGER);
    const kinds = await machine.kinds();
    isAsking.value = false;
    if (kinds && machine.indexed.peek()?.done) choices.value = choicesOf(kinds);
  };
  // The list is made anew when the panel comes back.
  useEffect(() => {
    if (walk.filter.peek()) void load();
  }, [walk]);
  const wanted = walk.filter.value;
  const chosen = choices.value?.find(({ filter: { kernel, mode, thread } }) =>
    wanted ? kernel === wanted.kernel && mode === wanted.mode && thread === wanted.thread : false,
  );
  return (
    <select
      class="walk-filter"
      aria-label="Steps to walk through"
      title="Other steps are greyed, and walks pass over them"
      value={chosen?.key ?? ''}
      onFocus={() => void load()}
      onPointerEnter={() => void load()}
      onChange={({ currentTarget }) => {
        walk.filter.value = choices.peek()?.find(({ key }) => key === currentTarget.value)?.filter ?? null;
      }}
    >
      <option value="">All steps</option>
      {isAsking.value && <option disabled>Indexing…</option>}
      {choices.value?.length === 0 && <option disabled>All are of one kind</option>}
      {choices.value?.map(({ key, words }) => (
        <option key={key} value={key}>
          {words}
        </option>
      ))}
    </select>
  );
}

function Button({ walk, to, next, title }: { walk: Walk; to: WalkTo; next: boolean; title: string }) {
  return (
    <button type="button" aria-label={title} title={title} onClick={() => void walk.go(to, next)}>
      {next ? '▸' : '◂'}
    </button>
  );
}

function titleOf(id: CommandId): string {
  const { title, keys } = commandOf(id);
  return keys[0] === undefined ? title : `${title} (${labelsOf(keys[0]).join(' ')})`;
}
