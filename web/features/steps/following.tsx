import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted } from '../../base/format.ts';
import type { Cell, Origin, StepAccess, Uses, ValueUse } from '../../base/steps_protocol.ts';
import { useOneTabStop } from '../../parts/one_tab_stop.ts';
import { cellOf, type Machine, MOST_USES } from '../../trace/machine.ts';
import { Step } from './arrows.tsx';
import { CellLink, textOf, titleOf } from './history.tsx';
import { registerText } from './register_values.ts';
import './following.css';

/** Where a value comes from, or what uses it: a tree that is opened level by level. */
export function Following({ machine }: { machine: Machine }) {
  const box = useRef<HTMLDivElement>(null);
  useOneTabStop(box);
  const followed = machine.followed.value;
  if (!followed) return null;
  const { cell, step, way } = followed;
  const title =
    way === 'back'
      ? `Where ${titleOf(cell)} comes from, before step ${formatCount(step)}`
      : `Uses of ${titleOf(cell)}, from step ${formatCount(step)} on`;
  const key = `${way} ${step} ${titleOf(cell)}`;
  return (
    <section class="state-part" aria-label={title}>
      <div class="state-head row wrap">
        <h2>{title}</h2>
        <button
          type="button"
          class="plain icon"
          aria-label={way === 'back' ? 'Close the origin' : 'Close the uses'}
          title="Close"
          onClick={() => {
            machine.followed.value = null;
          }}
        >
          ×
        </button>
      </div>
      <div class="following small thin-scroll" ref={box}>
        {way === 'back' ? (
          <Origins key={key} machine={machine} step={step} cell={cell} isOpen />
        ) : (
          <UsesOf key={key} machine={machine} step={step - 1} cell={cell} />
        )}
      </div>
    </section>
  );
}

/** The answer of `load` for as long as `key` is the same; undefined until it is there. */
function useAnswer<T>(key: string, load: () => Promise<T>): T | undefined {
  const answer = useSignal<T | undefined>(undefined);
  useEffect(() => {
    let current = true;
    void load().then((found) => {
      if (current) answer.value = found;
    });
    return () => {
      current = false;
    };
  }, [key]);
  return answer.value;
}

interface CellProps {
  readonly machine: Machine;
  readonly step: number;
  readonly cell: Cell;
}

/** The origins of a cell before a step, as rows. `isOpen`: what their instructions read is shown, too. */
function Origins({ machine, step, cell, isOpen = false }: CellProps & { isOpen?: boolean }) {
  const found = useAnswer(`${step} ${titleOf(cell)}`, () => machine.ask.origins(step, cell));
  if (found === undefined) return <p class="muted">Following…</p>;
  if (found === null) return <p class="muted">This is not indexed.</p>;
  return (
    <ul>
      {found.map((origin, i) => (
        <OriginRow key={i} machine={machine} origin={origin} isOpen={isOpen} isPart={found.length > 1} />
      ))}
    </ul>
  );
}

function OriginRow({
  machine,
  origin,
  isOpen,
  isPart,
}: {
  machine: Machine;
  origin: Origin;
  isOpen: boolean;
  isPart: boolean;
}) {
  const { cell, step, cause, copies, operands, isUnclear } = origin;
  const open = useSignal(isOpen);
  const canOpen = cause === 'written' && operands.length > 0 && step !== null;
  const from = copies.length > 0 || isPart ? `${titleOf(cell)} ` : '';
  return (
    <li>
      <Row open={open.value} toggle={canOpen ? () => (open.value = !open.value) : null} label={titleOf(cell)}>
        <span class="muted">{from}</span>
        <Cause machine={machine} origin={origin} />
        {copies.length > 0 && (
          <span class="muted" title={`Copied at ${[...copies].map((it) => formatCount(it)).join(', ')}`}>
            {' '}
            after {copies.length === 1 ? '1 copy' : `${formatCount(copies.length)} copies`}
          </span>
        )}
        {isUnclear && <span class="muted"> · what it reads is unknown</span>}
      </Row>
      {open.value && canOpen && (
        <ul>
          {operands.map(({ access, isAddress }, i) => (
            <li key={i}>
              <Value machine={machine} access={access} note={isAddress ? 'address' : ''} />
              <Origins machine={machine} step={step} cell={cellOf(access)} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** The step that gave a value, or that there is none. */
function Cause({ machine, origin }: { machine: Machine; origin: Origin }) {
  const { cause, step, instruction, operands, isUnclear, cell, written } = origin;
  if (cause === 'unknown' || step === null) return <span class="muted">its value is unknown</span>;
  const go = <Step label={`Go to step ${formatCount(step)}`} text={formatCount(step)} go={() => machine.goTo(step)} />;
  if (cause === 'read') return <span>no step wrote it; first read at {go}</span>;
  if (cause === 'changed') return <span class="state-foreign">changed outside the trace, seen at {go}</span>;
  const value = cell.what === 'register' ? registerText(written) : textOf({ register: null, value: written });
  const isConstant = operands.length === 0 && !isUnclear;
  return (
    <span title={`Wrote ${value}`}>
      {go} <span class="mono">{instruction ?? 'recorded state'}</span>
      {isConstant && instruction !== null && <span class="muted"> · constant</span>}
    </span>
  );
}

/** A cell with its value. */
function Value({ machine, access, note }: { machine: Machine; access: StepAccess; note: string }) {
  return (
    <p class="following-value mono">
      <CellLink machine={machine} cell={cellOf(access)} /> <span class="muted">=</span> {textOf(access)}
      {note !== '' && <span class="muted following-note"> {note}</span>}
    </p>
  );
}

/** The steps that use the value that a cell has after a step. */
function UsesOf({ machine, step, cell }: CellProps) {
  const found = useAnswer(`${step} ${titleOf(cell)}`, () => machine.ask.uses(step, cell, MOST_USES));
  if (found === undefined) return <p class="muted">Following…</p>;
  if (found === null) return <p class="muted">This is not indexed.</p>;
  return (
    <>
      <ul>
        {found.uses.map((use) => (
          <UseRow key={use.step} machine={machine} use={use} />
        ))}
      </ul>
      <p class="muted">{endOf(found)}</p>
    </>
  );
}

function endOf({ uses, replaced, isCut }: Uses): string {
  const more = isCut
    ? `The first ${formatCounted(uses.length, 'use')}. `
    : uses.length === 0
      ? 'No step uses it. '
      : '';
  return `${more}${replaced === null ? 'It is not written again.' : `Overwritten at step ${formatCount(replaced)}.`}`;
}

function UseRow({ machine, use }: { machine: Machine; use: ValueUse }) {
  const { step, instruction, isAddress, written } = use;
  const open = useSignal(false);
  return (
    <li>
      <Row
        open={open.value}
        toggle={written.length > 0 ? () => (open.value = !open.value) : null}
        label={`What step ${formatCount(step)} writes`}
      >
        <Step label={`Go to step ${formatCount(step)}`} text={formatCount(step)} go={() => machine.goTo(step)} />{' '}
        <span class="mono">{instruction ?? ''}</span>
        {isAddress && <span class="muted following-note"> address</span>}
      </Row>
      {open.value && (
        <ul>
          {written.map((access, i) => (
            <li key={i}>
              <Value machine={machine} access={access} note="" />
              <UsesOf machine={machine} step={step} cell={cellOf(access)} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** A row that may be opened. */
function Row({
  open,
  toggle,
  label,
  children,
}: {
  open: boolean;
  toggle: (() => void) | null;
  label: string;
  children: ComponentChild;
}) {
  return (
    <div class="following-row">
      {toggle ? (
        <button
          type="button"
          class="plain icon"
          aria-expanded={open}
          aria-label={`${open ? 'Close' : 'Open'}: ${label}`}
          onClick={toggle}
        >
          {open ? '▾' : '▸'}
        </button>
      ) : (
        <span class="following-leaf" />
      )}
      <span>{children}</span>
    </div>
  );
}
