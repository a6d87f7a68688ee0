import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { formatCount } from '../../base/format.ts';
import type { RegisterState } from '../../base/steps_protocol.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { useRowMenu } from '../../parts/menu/row_menu.ts';
import { useOneTabStop } from '../../parts/one_tab_stop.ts';
import type { Machine, Shown } from '../../trace/machine.ts';
import { Arrows, Step } from './arrows.tsx';
import { compareRegisters, numberOf, readingsOf, registerText } from './register_values.ts';

interface RegistersProps {
  readonly machine: Machine;
  readonly shown: Shown;
  readonly showMemory: (address: bigint) => void;
}

/** The registers of the thread; those that the step writes are marked. */
export function Registers(props: RegistersProps) {
  if (props.shown.state.registers.length > 0) return <List {...props} />;
  return <p class="muted">No register of this thread is known here.</p>;
}

function List({ machine, shown, showMemory }: RegistersProps) {
  /** The register whose row is unfolded. */
  const unfolded = useSignal('');
  const box = useRef<HTMLUListElement>(null);
  useOneTabStop(box);
  const registers = [...shown.state.registers].sort((a, b) => compareRegisters(a.name, b.name));
  const onMenu = useRowMenu((row) => {
    const register = registers[row];
    if (!register) return null;
    const { name, value, step, written } = register;
    const memory = { id: 'memory', title: 'Memory at this address', run: () => value && showMemory(numberOf(value)) };
    const latest = { id: 'step', title: `Go to the ${written ? 'write' : 'read'}`, run: () => machine.goTo(step) };
    return {
      named: { id: -1, text: name, isCalled: false },
      show: null,
      own: value ? [latest, ...(value.length <= 8 ? [memory] : [])] : [],
    };
  });
  return (
    <section class="state-part" aria-label="Registers">
      <h2>Registers</h2>
      <ul class="state-registers" ref={box} onContextMenu={onMenu}>
        {registers.map((register, i) => {
          const { name } = register;
          const isOpen = unfolded.value === name;
          return (
            <li key={name} data-row={i} class={register.next ? 'state-written' : undefined}>
              <button
                type="button"
                class="plain state-register"
                aria-expanded={isOpen}
                onClick={() => {
                  unfolded.value = isOpen ? '' : name;
                }}
              >
                <span class="state-name">
                  <span class="state-twist muted" aria-hidden="true">
                    {isOpen ? '▾' : '▸'}
                  </span>
                  <span data-cell>{name}</span>
                </span>
                <Value register={register} />
              </button>
              {isOpen && <More machine={machine} shown={shown} register={register} showMemory={showMemory} />}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Value({ register: { value, next, changed, isOurs } }: { register: RegisterState }) {
  const before = value ? registerText(value) : '??';
  const after = next && registerText(next);
  return (
    <span class="state-values wrap">
      <span
        class={value && !isOurs ? 'state-read' : undefined}
        title={value && !isOurs ? READ_ONLY : undefined}
        data-cell
      >
        {before}
        {changed && <Foreign />}
      </span>
      {after !== null && (
        <span class="state-next">
          <span class="unseen">becomes</span>
          <span aria-hidden="true">→ </span>
          <span data-cell>{after === before ? 'same' : after}</span>
        </span>
      )}
    </span>
  );
}

const READ_ONLY = 'Known from reads only: no earlier step wrote it';

/** The mark of a value that was read but is not what the trace has written last. */
function Foreign() {
  return (
    <span class="state-foreign" title="Changed outside the trace">
      {' '}
      *<span class="unseen">changed outside the trace</span>
    </span>
  );
}

function More({ machine, shown, register, showMemory }: RegistersProps & { register: RegisterState }) {
  const { name, value, step, written, changed, isOurs, next } = register;
  const latest = next ?? value;
  const { thread } = shown.state;
  return (
    <div class="state-more">
      {latest && (
        <dl class="state-readings">
          {readingsOf(name, latest).map(([label, text]) => (
            <div key={label}>
              <dt class="muted">{label}</dt>
              <dd>
                <Copyable text={text} mono>
                  {text}
                </Copyable>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {value && (
        <p class="muted">
          {written ? 'Written at step ' : 'Read at step '}
          <Step label={`Go to step ${formatCount(step)}`} text={formatCount(step)} go={() => machine.goTo(step)} />
        </p>
      )}
      {value && !isOurs && <p class="muted">{READ_ONLY}.</p>}
      {changed && (
        <p class="muted">Read with a value that differs from the last one written: changed outside the trace.</p>
      )}
      <Arrows machine={machine} cell={{ what: 'register', thread, name }} />
      {value && value.length <= 8 && (
        <button type="button" class="plain link" onClick={() => showMemory(numberOf(value))}>
          Memory at this address
        </button>
      )}
    </div>
  );
}
