import { createMachine } from '../../model/machine.ts';
import stepsWorker from '../../worker/steps.ts?worker&url';
import { perTrace } from '../per_trace.ts';
import { startWorker } from '../workers.ts';

/** The machine of a trace. Its index begins with the first call. */
export const machineOf = perTrace(({ trace, selection }) =>
  createMachine(trace, selection, () => startWorker(stepsWorker)),
);
