import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { formatBytes, formatCount } from '../../base/format.ts';
import { createMachine, type Machine, type Shown } from '../../model/machine.ts';
import { hexText } from '../../model/values.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import stepsWorker from '../../worker/steps.ts?worker&url';
import { startWorker } from '../workers.ts';
import { Step } from './arrows.tsx';
import { History } from './history.tsx';
import { type MemoryPlace, MemoryWindow } from './memory.tsx';
import { Registers } from './registers.tsx';
import './state.css';

/** The machines of open traces: each keeps its index while the pane shows something else. */
const machines = new WeakMap<OpenTrace, Machine>();

/** The state of a trace. Its index begins with the first call. */
export function stateOf(open: OpenTrace): ComponentType {
  let machine = machines.get(open);
  if (!machine) {
    machine = createMachine(open.trace, open.selection, () => startWorker(stepsWorker));
    machines.set(open, machine);
    open.scope.add(machine.dispose);
  }
  const shown = machine;
  return () => <State machine={shown} open={open} />;
}

function State({ machine, open }: { machine: Machine; open: OpenTrace }) {
  const place = useSignal<MemoryPlace>({ at: 'step' });
  const step = machine.step.value;
  const shown = machine.shown.value;
  const indexed = machine.indexed.value;
  const noun = open.trace.info.value?.recordNoun ?? 'step';
  return (
    <>
      <Indexing machine={machine} />
      {machine.error.value !== '' && (
        <p class="remark" role="alert">
          {machine.error.value}
        </p>
      )}
      {!indexed && machine.error.value === '' && (
        <p class="muted">Registers and memory are known when the trace has been read.</p>
      )}
      {indexed && step === null && <p class="muted">Select a {noun} or a call to see registers and memory.</p>}
      {step !== null && shown && (
        <>
          {shown.step !== step && <Waiting machine={machine} step={step} />}
          <Where machine={machine} shown={shown} />
          <Registers
            machine={machine}
            shown={shown}
            showMemory={(address) => {
              place.value = { at: 'address', address };
            }}
          />
          <History machine={machine} />
          <MemoryWindow machine={machine} shown={shown} place={place} />
        </>
      )}
      {step !== null && !shown && indexed && <Waiting machine={machine} step={step} />}
    </>
  );
}

/** Why the state of the selected step is not there. */
function Waiting({ machine, step }: { machine: Machine; step: number }) {
  const indexed = machine.indexed.value;
  if (!indexed || step < indexed.built || machine.error.value !== '') return null;
  const why = indexed.full
    ? `The index is full: state is known up to step ${formatCount(indexed.built)}.`
    : `Step ${formatCount(step)} is not indexed yet.`;
  return <p class="muted">{why}</p>;
}

/** How far the index is, while it is being built. */
function Indexing({ machine }: { machine: Machine }) {
  const indexed = machine.indexed.value;
  if (!indexed || indexed.done || machine.error.value !== '') return null;
  const share = indexed.built / Math.max(1, indexed.count);
  const paused = machine.isPaused.value;
  return (
    <div class="state-indexing">
      <progress max={1} value={share} aria-label="Indexing" />
      <span class="muted">
        {paused ? 'Paused at' : 'Indexing…'} {Math.floor(100 * share)} %
        {indexed.bytes > 1e6 && `, ${formatBytes(indexed.bytes)}`}
      </span>
      <button type="button" onClick={paused ? machine.goOn : machine.pause}>
        {paused ? 'Go on' : 'Pause'}
      </button>
    </div>
  );
}

/** The step, its thread, and the executions of its instruction. */
function Where({ machine, shown }: { machine: Machine; shown: Shown }) {
  const { thread, address, executions, executionsBefore } = shown.state;
  const indexed = machine.indexed.value;
  return (
    <div class="state-where">
      <p class="muted">
        Before step {formatCount(shown.step)}
        {thread !== null && ` · thread ${thread}`}
      </p>
      {address !== null && (
        <p class="state-executions">
          <span class="mono">{hexText(address)}</span>
          <span class="muted">
            execution {formatCount(executionsBefore + 1)} of {formatCount(executions)}
            {indexed?.done === false && ' so far'}
          </span>
          <Step
            label="Previous execution of this address"
            text="◂"
            disabled={executionsBefore === 0}
            go={() => machine.goToExecution(address, executionsBefore - 1)}
          />
          <Step
            label="Next execution of this address"
            text="▸"
            disabled={executionsBefore + 1 >= executions}
            go={() => machine.goToExecution(address, executionsBefore + 1)}
          />
        </p>
      )}
    </div>
  );
}
