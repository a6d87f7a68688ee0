import { effect } from '@preact/signals';
import type { FieldLink, NamedField, Places } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { operandOf } from '../../trace/kept_fields.ts';
import { cellOf } from '../../trace/machine.ts';
import { machineOf } from '../../trace/machines.ts';

/** Where the label of an operand leads: to the steps that read or write it. */
export function operandLink({ path }: NamedField): FieldLink | null {
  const operand = operandOf(path);
  // Its value may have labels of its own.
  if (!operand || path.length > 2) return null;
  return {
    place: { to: 'operand', ...operand, shows: 'accesses' },
    title: `Steps that read or write ${operand.name}`,
    by: 'label',
  };
}

/** Shows what is known of an operand of the selected step, once its state is there. */
export function showOperand({ name, written, shows }: Places['operand'], open: OpenTrace): void {
  const machine = machineOf(open);
  machine.showState();
  const step = machine.step.peek();
  const [, digits] = /^\[0x([0-9a-f]+)\]$/.exec(name) ?? [];
  const address = digits === undefined ? null : BigInt(`0x${digits}`);
  // Details know no length of what is in memory; the state does.
  let stop = () => {};
  stop = effect(() => {
    const shown = machine.shown.value;
    const isGone = machine.step.value !== step || machine.error.value !== '';
    if (!isGone && shown?.step !== step) return;
    queueMicrotask(() => stop());
    const access = shown?.state.accesses.find(
      (it) => it.written === written && (address === null ? it.register === name : it.address === address),
    );
    if (isGone || !access || step === null) return;
    const cell = cellOf(access);
    if (shows === 'accesses') machine.showHistory(cell);
    else machine.followed.value = { cell, step: written ? step + 1 : step, way: 'back' };
  });
}
