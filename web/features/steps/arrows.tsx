import { useSignal } from '@preact/signals';
import type { Cell } from '../../base/steps_protocol.ts';
import type { Machine } from '../../trace/machine.ts';
import { originStep } from './asked_step.ts';

/** A small button that leads to another step. */
export function Step({
  label,
  text,
  disabled = false,
  go,
}: {
  label: string;
  text: string;
  disabled?: boolean;
  go(): void;
}) {
  return (
    <button type="button" class="state-step small" aria-label={label} title={label} disabled={disabled} onClick={go}>
      {text}
    </button>
  );
}

/** Buttons to the nearest accesses of a cell. One that led nowhere says so. */
export function Arrows({ machine, cell }: { machine: Machine; cell: Cell }) {
  const nowhere = useSignal('');
  const arrows = [
    [false, false, '◂ read'],
    [true, false, '◂ write'],
    [false, true, 'read ▸'],
    [true, true, 'write ▸'],
  ] as const;
  const follow = (way: 'back' | 'on') => {
    const current = machine.shown.peek();
    if (!current) return;
    const step = way === 'back' ? originStep(current.step, current.state.accesses, cell) : current.step;
    machine.followed.value = { cell, step, way };
  };
  const lead = async (written: boolean, next: boolean) => {
    const found = await machine.goToNearest(cell, written, next);
    const [which, what] = [next ? 'later' : 'earlier', written ? 'write' : 'read'];
    nowhere.value = found ? '' : `No ${which} ${what} is known.`;
  };
  return (
    <span class="state-arrows row wrap">
      {arrows.map(([written, next, text]) => (
        <Step
          key={text}
          label={`${next ? 'Next' : 'Previous'} step that ${written ? 'writes' : 'reads'} this`}
          text={text}
          go={() => void lead(written, next)}
        />
      ))}
      <Step label="All steps that read or write this" text="all" go={() => machine.showHistory(cell)} />
      <Step label="Where this value comes from" text="origin" go={() => follow('back')} />
      <Step label="Steps that use this value" text="uses" go={() => follow('on')} />
      <span class="muted" role="status">
        {nowhere.value}
      </span>
    </span>
  );
}
