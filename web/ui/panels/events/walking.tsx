import { useSignal } from '@preact/signals';
import { WALK_NOUNS, type Walk, type WalkTo } from '../../../model/walk.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { type CommandId, commandOf } from '../../commands/commands.ts';
import { labelsOf } from '../../commands/sheet.ts';
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
      </div>
      <span class="muted walk-remark" role="status">
        {walk.remark.value}
      </span>
    </>
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
