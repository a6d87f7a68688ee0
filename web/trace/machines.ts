import { startWorker } from '../base/workers.ts';
import stepsWorker from '../features/steps/worker/steps.ts?worker&url';
import { createMachine } from './machine.ts';
import { type Opened, perTrace } from './per_trace.ts';

/** The machine of a trace. Its index begins with the first call. */
export const machineOf = perTrace(({ trace, selection }: Opened) =>
  createMachine(trace, selection, () => startWorker(stepsWorker)),
);
