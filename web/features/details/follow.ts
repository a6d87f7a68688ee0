import { effect } from '@preact/signals';
import type { Dock } from '../../page/dock.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { cellOf } from '../../trace/machine.ts';
import { machineOf } from '../../trace/machines.ts';

interface Place {
  readonly open: OpenTrace;
  readonly dock: Dock;
}

/** Shows in State where the value of an operand of the selected step comes from. `label` is that of Details: a register, or `[0x7ffe10]`. */
export function followOperand({ open, dock }: Place, label: string, written: boolean): void {
  const machine = machineOf(open);
  const step = machine.step.peek();
  dock.pane.value = 'state';
  const [, digits] = /^\[0x([0-9a-f]+)\]$/.exec(label) ?? [];
  const address = digits === undefined ? null : BigInt(`0x${digits}`);
  // Details know no length of what is in memory; the state does.
  let stop = () => {};
  stop = effect(() => {
    const shown = machine.shown.value;
    const isGone = machine.step.value !== step || machine.error.value !== '';
    if (!isGone && shown?.step !== step) return;
    queueMicrotask(() => stop());
    const access = shown?.state.accesses.find(
      (it) => it.written === written && (address === null ? it.register === label : it.address === address),
    );
    if (isGone || !access || step === null) return;
    machine.followed.value = { cell: cellOf(access), step: written ? step + 1 : step, way: 'back' };
  });
}
