import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import type { Coverage } from '../../../base/steps_protocol.ts';
import type { Machine } from '../../../model/machine.ts';
import { hexText } from '../../../model/values.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import type { PanelView } from '../../dock/panel.ts';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import { Indexing } from '../../state/indexing.tsx';
import { machineOf } from '../../state/machines.ts';
import { rowsByKey, Spacer, TABLE_ROW, useShownRows } from '../virtual_rows.tsx';
import './coverage.css';

/** Coverage of a trace. The index begins when the panel is first shown. */
export function coverageView(open: OpenTrace): PanelView {
  const machine = machineOf(open);
  return { component: () => <CoveragePanel open={open} machine={machine} /> };
}

const COLUMNS = ['Executions', 'Address', 'Bytes', 'Instructions'] as const;

function CoveragePanel({ open, machine }: { open: OpenTrace; machine: Machine }) {
  const coverage = useSignal<Coverage | null>(null);
  const indexed = machine.indexed.value;
  const isDone = indexed?.done ?? false;
  useEffect(() => {
    let current = true;
    if (isDone) {
      void machine.coverage().then((found) => {
        if (current) coverage.value = found;
      });
    }
    return () => {
      current = false;
    };
  }, [machine, isDone]);
  const found = coverage.value;
  return (
    <div class="coverage">
      <div class="panel-bar">
        {found && <Summary coverage={found} full={indexed?.full ?? false} />}
        {!found && (indexed ? <Indexing machine={machine} /> : <span class="muted">Waiting for the trace…</span>)}
        {found && <Save open={open} machine={machine} />}
        {found && (
          <TakeTable name="coverage" head={COLUMNS} rows={() => atOnce(hottestOf(found), (i) => textsOf(found, i))} />
        )}
      </div>
      {found && <Blocks machine={machine} coverage={found} />}
    </div>
  );
}

function Summary({ coverage, full }: { coverage: Coverage; full: boolean }) {
  const sum = (column: Uint32Array) => column.reduce((all, one) => all + one, 0);
  const { address, instructions, length } = coverage;
  return (
    <span class="muted">
      {formatCounted(address.length, 'block')}, {formatCounted(sum(instructions), 'instruction')},{' '}
      {formatCounted(sum(length), 'byte')}
      {full && ', as far as the index goes'}
    </span>
  );
}

/** Numbers of the blocks, those first that were executed most often. */
function hottestOf({ count, address }: Coverage): number[] {
  return Array.from(address.keys()).sort((a, b) => count[b]! - count[a]! || a - b);
}

function textsOf({ count, address, length, instructions }: Coverage, i: number): readonly string[] {
  return [String(count[i]), hexText(address[i]!), String(length[i]), String(instructions[i])];
}

function Blocks({ machine, coverage }: { machine: Machine; coverage: Coverage }) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => hottestOf(coverage), [coverage]);
  const { first, end, page, onScroll } = useShownRows(box, rows.length);
  const chosen = useSignal(-1);
  const choose = (row: number) => {
    chosen.value = row;
    machine.goToExecution(coverage.address[rows[row]!]!, 0);
    const element = box.current;
    if (!element) return;
    // The head stays in sight.
    const top = row * TABLE_ROW;
    const most = top - element.clientHeight + 2 * TABLE_ROW;
    element.scrollTop = Math.min(top, Math.max(element.scrollTop, most));
  };
  const onKey = (event: KeyboardEvent) => {
    const by = rowsByKey(event, rows.length, page);
    if (by === undefined) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(rows.length - 1, chosen.value + by)));
  };
  return (
    <div class="table" ref={box} onScroll={onScroll}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows can be selected.
        role="grid"
        aria-label="Blocks"
        aria-rowcount={rows.length + 1}
        aria-activedescendant={chosen.value >= first && chosen.value < end ? `block-${chosen.value}` : undefined}
        tabIndex={0}
        onKeyDown={onKey}
      >
        <thead>
          <tr aria-rowindex={1}>
            {COLUMNS.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={first} columns={COLUMNS.length} />
          {rows.slice(first, end).map((block, k) => {
            const row = first + k;
            return (
              <tr
                key={row}
                id={`block-${row}`}
                aria-rowindex={row + 2}
                aria-selected={row === chosen.value}
                title="Go to the first execution"
                onClick={() => choose(row)}
              >
                <td>{formatCount(coverage.count[block]!)}</td>
                <td class="mono">{hexText(coverage.address[block]!)}</td>
                <td>{formatCount(coverage.length[block]!)}</td>
                <td>{formatCount(coverage.instructions[block]!)}</td>
              </tr>
            );
          })}
          <Spacer rows={rows.length - end} columns={COLUMNS.length} />
        </tbody>
      </table>
    </div>
  );
}

/** Saves the coverage as a drcov file, which Lighthouse and other tools read. */
function Save({ open, machine }: { open: OpenTrace; machine: Machine }) {
  const save = async () => {
    const program = open.trace.info.peek()?.properties.find(([name]) => name === 'Program')?.[1];
    const file = await machine.drcov(program ?? 'unknown');
    if (!file) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([file as Uint8Array<ArrayBuffer>]));
    link.download = `${open.trace.name}.drcov`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <button type="button" title="For Lighthouse and other tools that read drcov" onClick={() => void save()}>
      Save as drcov
    </button>
  );
}
