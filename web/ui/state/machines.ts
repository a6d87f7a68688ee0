import { createMachine } from '../../model/machine.ts';
import { type Opened, perTrace } from '../../model/per_trace.ts';
import stepsWorker from '../../worker/steps.ts?worker&url';
import { startWorker } from '../workers.ts';

/** The machine of a trace. Its index begins with the first call. */
export const machineOf = perTrace(({ trace, selection }: Opened) =>
  createMachine(trace, selection, () => startWorker(stepsWorker)),
);
