import { useSignal } from '@preact/signals';
import { formatCount } from '../../base/format.ts';
import { hexText } from '../../base/hex.ts';
import type { PanelView } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { KeepButton } from '../../timeline/widgets/keep.tsx';
import { addressKey } from '../../trace/derived.ts';
import type { Machine, Shown } from '../../trace/machine.ts';
import { machineOf } from '../../trace/machines.ts';
import { Step } from './arrows.tsx';
import { Following } from './following.tsx';
import { CellLink, History } from './history.tsx';
import { Indexing } from './indexing.tsx';
import { type MemoryPlace, MemoryWindow } from './memory.tsx';
import { Registers } from './registers.tsx';
import './state.css';

/** The state of a trace. Its index begins with the first call. */
export function stateOf(open: OpenTrace): PanelView {
  const machine = machineOf(open);
  machine.showState();
  return { component: () => <State machine={machine} open={open} /> };
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
        <p class="muted">Registers and memory are available once the trace has been read.</p>
      )}
      {indexed && step === null && <p class="muted">Select a {noun} or a call to see registers and memory.</p>}
      {step !== null && shown && (
        <>
          {shown.step !== step && <Waiting machine={machine} step={step} />}
          <Where open={open} machine={machine} shown={shown} />
          <Registers
            machine={machine}
            shown={shown}
            showMemory={(address) => {
              place.value = { at: 'address', address };
            }}
          />
          <Following machine={machine} />
          <History open={open} machine={machine} />
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

/** The step, its thread, and the executions of its instruction. */
function Where({ open, machine, shown }: { open: OpenTrace; machine: Machine; shown: Shown }) {
  const { thread, address, executions, executionsBefore, systemCall } = shown.state;
  const indexed = machine.indexed.value;
  return (
    <div class="state-where">
      <p class="muted">
        Before step {formatCount(shown.step)}
        {thread !== null && ` · thread ${thread}`}
      </p>
      {systemCall && (
        <p>
          System call <strong>{systemCall.name ?? String(systemCall.number)}</strong>
          {systemCall.name && <span class="muted"> {String(systemCall.number)}</span>}
          {systemCall.arguments.length > 0 && (
            <span class="mono">
              {': '}
              {systemCall.arguments.map(({ register, value }, i) => (
                <span key={register}>
                  {i > 0 && ', '}
                  <CellLink machine={machine} cell={{ what: 'register', thread, name: register }} /> {hexText(value)}
                </span>
              ))}
            </span>
          )}
        </p>
      )}
      {address !== null && (
        <p class="state-executions row wrap">
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
          <span class="details-links wrap">
            <button
              type="button"
              class="plain link"
              aria-label="Find all executions of this address"
              onClick={() => open.find.ask(`addr:${hexText(address)}`)}
            >
              Find all
            </button>
            <KeepButton
              keeping={open.derived.keeping.value.get(addressKey(address))}
              reading={false}
              title={`Show all executions of ${hexText(address)} on one track`}
              onClick={() => open.derived.keepAddress(address)}
              stop={() => open.derived.stop(addressKey(address))}
            />
          </span>
        </p>
      )}
    </div>
  );
}
