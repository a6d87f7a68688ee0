import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import type { Coverage, CoverageBy, CoverageWith } from '../../../base/steps_protocol.ts';
import type { Machine } from '../../../model/machine.ts';
import { saveBlob } from '../../../model/save_blob.ts';
import { hexText } from '../../../model/values.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import type { PanelView } from '../../dock/panel.ts';
import { Segments } from '../../parts/segments.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import { Indexing } from '../../state/indexing.tsx';
import { machineOf } from '../../state/machines.ts';
import { rowsByKey, Spacer, TABLE_ROW, useShownRows } from '../virtual_rows.tsx';
import { drcovOf, type KeptList, Lists, listNameOf, stepsOf } from './lists.tsx';
import './coverage.css';

/** Coverage of a trace. The index begins when the panel is first shown. */
export function coverageView(open: OpenTrace): PanelView {
  const machine = machineOf(open);
  return { component: () => <CoveragePanel open={open} machine={machine} /> };
}

const COLUMNS: Readonly<Record<CoverageBy, readonly string[]>> = {
  block: ['Executions', 'Address', 'Bytes', 'Instructions'],
  address: ['Executions', 'Address', 'Bytes'],
  module: ['Executions', 'First address', 'Bytes', 'Instructions', 'Module'],
};

function CoveragePanel({ open, machine }: { open: OpenTrace; machine: Machine }) {
  /** What was found last, and what its rows are: until the next answer it stays. */
  const shown = useSignal<{ readonly found: Coverage; readonly by: CoverageBy } | null>(null);
  const by = useSignal<CoverageBy>('block');
  const list = useSignal<KeptList | null>(null);
  const how = useSignal<CoverageWith['how']>('minus');
  const indexed = machine.indexed.value;
  const isDone = indexed?.done ?? false;
  const steps = stepsOf(open);
  useEffect(() => {
    let current = true;
    if (isDone) {
      const other = list.value && { how: how.value, list: list.value.file };
      const asked = by.value;
      void machine.coverage(steps, asked, other).then((found) => {
        if (current && found) shown.value = { found, by: asked };
      });
    }
    return () => {
      current = false;
    };
  }, [machine, isDone, steps[0], steps[1], by.value, how.value, list.value]);
  const found = shown.value?.found;
  const columns = COLUMNS[shown.value?.by ?? by.value];
  return (
    <div class="coverage">
      <div class="panel-bar">
        {found && (
          <Segments
            label="Rows"
            options={[
              ['block', 'Blocks'],
              ['address', 'Addresses'],
              ['module', 'Modules'],
            ]}
            value={by.value}
            choose={(value) => {
              by.value = value;
            }}
          />
        )}
        {isDone && <Lists open={open} machine={machine} list={list} how={how} />}
        {found && <Summary coverage={found} by={shown.value?.by ?? by.value} full={indexed?.full ?? false} />}
        {!found && (indexed ? <Indexing machine={machine} /> : <span class="muted">Waiting for the trace…</span>)}
        {found && <Save open={open} machine={machine} />}
        {found && (
          <TakeTable
            name="coverage"
            head={columns}
            rows={() => atOnce(hottestOf(found), (i) => textsOf(found, i).slice(0, columns.length))}
          />
        )}
      </div>
      {found && found.wrong !== '' && (
        <p class="panel-note" role="alert">
          {found.wrong}
        </p>
      )}
      {found && (
        <Blocks key={shown.value?.by} machine={machine} coverage={found} columns={columns} from={steps[0] ?? 0} />
      )}
    </div>
  );
}

function Summary({ coverage, by, full }: { coverage: Coverage; by: CoverageBy; full: boolean }) {
  const sum = (column: Uint32Array | Float64Array) => {
    let all = 0;
    for (const one of column) all += one;
    return all;
  };
  const { address, instructions, length } = coverage;
  return (
    <span class="muted">
      {by !== 'address' && `${formatCounted(address.length, by)}, `}
      {formatCounted(sum(instructions), 'instruction')}, {formatCounted(sum(length), 'byte')}
      {full && ', as far as the index goes'}
    </span>
  );
}

/** Numbers of the blocks, those first that were executed most often. */
function hottestOf({ count, address }: Coverage): number[] {
  return Array.from(address.keys()).sort((a, b) => count[b]! - count[a]! || a - b);
}

/** The cells of a row, in the order of {@link COLUMNS}. Modules have names; of one instruction a row does not say how many it has. */
function textsOf(coverage: Coverage, i: number, show: (count: number) => string = String): readonly string[] {
  const { count, address, length, instructions, names } = coverage;
  const cells = [show(count[i]!), hexText(address[i]!), show(length[i]!), show(instructions[i]!)];
  return names.length > 0 ? [...cells, names[i] || '(in no module)'] : cells;
}

interface BlocksProps {
  readonly machine: Machine;
  readonly coverage: Coverage;
  readonly columns: readonly string[];
  /** The first step that is meant. */
  readonly from: number;
}

function Blocks({ machine, coverage, columns, from }: BlocksProps) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => hottestOf(coverage), [coverage]);
  const { first, end, page, onScroll } = useShownRows(box, rows.length);
  const chosen = useSignal(-1);
  const choose = (row: number) => {
    chosen.value = row;
    machine.goToExecution(coverage.address[rows[row]!]!, 0, from);
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
            {columns.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={first} columns={columns.length} />
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
                {textsOf(coverage, block, formatCount)
                  .slice(0, columns.length)
                  .map((text, column) => (
                    <td key={column} class={column === 1 ? 'mono' : undefined}>
                      {text}
                    </td>
                  ))}
              </tr>
            );
          })}
          <Spacer rows={rows.length - end} columns={columns.length} />
        </tbody>
      </table>
      {rows.length === 0 && <p class="panel-note muted">Nothing was executed here.</p>}
    </div>
  );
}

/** Saves the coverage as a drcov file, which Lighthouse and other tools read. */
function Save({ open, machine }: { open: OpenTrace; machine: Machine }) {
  const save = async () => {
    const file = await drcovOf(open, machine);
    if (file) saveBlob(new Blob([file as Uint8Array<ArrayBuffer>]), `${listNameOf(open)}.drcov`);
  };
  return (
    <button type="button" title="For Lighthouse and other tools that read drcov" onClick={() => void save()}>
      Save as drcov
    </button>
  );
}
