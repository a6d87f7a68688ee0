import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import { hexText } from '../../../base/hex.ts';
import type { Coverage, CoverageBy, CoverageWith } from '../../../base/steps_protocol.ts';
import type { PanelView } from '../../../page/page.ts';
import { Segments } from '../../../parts/segments.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { atOnce, TakeTable } from '../../../parts/take_table.tsx';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import type { Machine } from '../../../trace/machine.ts';
import { machineOf } from '../../../trace/machines.ts';
import { saveBlob } from '../../../trace/save_blob.ts';
import { Indexing } from '../indexing.tsx';
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
      void machine.ask.coverage(steps, asked, other).then((found) => {
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
    <div class="panel-body">
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

/** What a column sorts by, in the order of {@link textsOf}. */
function sortsBy({ count, address, length, instructions, names }: Coverage, block: number, column: number) {
  return [count, address, length, instructions][column]?.[block] ?? names[block] ?? null;
}

interface BlocksProps {
  readonly machine: Machine;
  readonly coverage: Coverage;
  readonly columns: readonly string[];
  /** The first step that is meant. */
  readonly from: number;
}

function Blocks({ machine, coverage, columns: titles, from }: BlocksProps) {
  const rows = useMemo(() => hottestOf(coverage), [coverage]);
  const chosen = useSignal(-1);
  const go = (row: number) => {
    chosen.value = row;
    machine.goToExecution(coverage.address[rows[row]!]!, 0, from);
  };
  const columns = titles.map(
    (title, i): Column<number> => ({
      title,
      cell: (block) => textsOf(coverage, block, formatCount)[i],
      look: () => ({ class: i === 1 ? 'mono' : undefined }),
      value: (block) => sortsBy(coverage, block, i),
    }),
  );
  return (
    <Table
      label="Blocks"
      id="block"
      count={rows.length}
      row={(number) => rows[number] ?? null}
      columns={columns}
      sorts={rows}
      narrowedBy={[coverage]}
      current={chosen.value}
      choose={go}
      menu={(_, row) => ({ named: null, show: () => go(row) })}
      look={() => ({ title: 'Go to the first execution' })}
      empty="Nothing was executed here."
    />
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
