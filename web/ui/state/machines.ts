import { createMachine, type Machine } from '../../model/machine.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import stepsWorker from '../../worker/steps.ts?worker&url';
import { startWorker } from '../workers.ts';

/** The machines of open traces: each keeps its index while nothing shows it. */
const machines = new WeakMap<OpenTrace, Machine>();

/** The machine of a trace. Its index begins with the first call. */
export function machineOf(open: OpenTrace): Machine {
  const known = machines.get(open);
  if (known) return known;
  const machine = createMachine(open.trace, open.selection, () => startWorker(stepsWorker));
  machines.set(open, machine);
  open.scope.add(machine.dispose);
  return machine;
}
