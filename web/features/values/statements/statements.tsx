import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import { ticks } from '../../../base/ticks.ts';
import type { StatementColumns } from '../../../base/values_protocol.ts';
import type { PanelView } from '../../../page/page.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import { takeFocus } from '../../../parts/take_focus.ts';
import { atOnce, TakeTable } from '../../../parts/take_table.tsx';
import { goToPosition } from '../../../timeline/go_to.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { givenName, ownName, statementName } from '../../../trace/statement_names.ts';
import { wantedStatement } from '../../../trace/wanted_statement.ts';
import { createIterations } from '../iterations.ts';
import {
  createStatements,
  heatOf,
  type Statements as Model,
  type StatementOrder,
  statementNamed,
  tellingStatement,
} from '../statements.ts';
import { wishedInvariants } from '../wished.ts';
import { IterationsOf } from './iterations.tsx';
import './statements.css';

/** The panel of one trace. */
export function statementsView(open: OpenTrace): PanelView {
  const model = createStatements(open.trace, open.statistics.range);
  /** The statement whose table is shown, or -1, and the current one of the list. */
  const chosen = signal(-1);
  const current = signal(-1);
  return {
    component: () => <Statements open={open} model={model} chosen={chosen} current={current} />,
    dispose: model.dispose,
  };
}

interface Props {
  readonly open: OpenTrace;
  readonly model: Model;
  readonly chosen: Signal<number>;
  readonly current: Signal<number>;
}

function Statements({ open, model, chosen, current }: Props) {
  const columns = model.columns.value;
  const wanted = wantedStatement(open).value;
  useEffect(() => {
    if (wanted === '' || !columns) return;
    chosen.value = statementNamed(columns, wanted);
    wantedStatement(open).value = '';
  }, [wanted, columns]);
  const isWished = wishedInvariants(open).value;
  useEffect(() => {
    if (!isWished || !columns) return undefined;
    let isOver = false;
    void tellingStatement(open.trace, columns).then((found) => {
      if (!isOver) chosen.value = found;
    });
    return () => {
      isOver = true;
    };
  }, [isWished, columns]);
  const statement = chosen.value;
  const iterations = useMemo(
    () =>
      columns && statement >= 0
        ? createIterations(open.trace, open.selection, open.statistics.range, statement, columns.track[statement]!)
        : null,
    // Numbers of statements and their tracks are the same for each range.
    [columns === null, statement],
  );
  useEffect(() => () => iterations?.dispose(), [iterations]);
  useEffect(() => {
    if (!isWished || !iterations) return;
    wishedInvariants(open).value = false;
    iterations.show('invariants');
  }, [isWished, iterations]);
  if (model.failed.value) {
    return (
      <p class="panel-note muted" role="alert">
        The statements could not be counted.{' '}
        <button type="button" onClick={model.retry}>
          Try again
        </button>
      </p>
    );
  }
  if (!columns) {
    const isLoading = open.trace.status.value.at === 'loading';
    const words = isLoading ? 'Statements are counted once the file has been read.' : 'Counting statements…';
    return <p class="panel-note muted">{words}</p>;
  }
  if (iterations) {
    const back = () => {
      chosen.value = -1;
    };
    const name = statementName(columns, statement);
    const given = givenName(open.trace.names, columns, statement);
    return <IterationsOf open={open} model={iterations} name={name} given={given} back={back} />;
  }
  return <List open={open} model={model} chosen={chosen} current={current} />;
}

function List({ open, model, chosen, current }: Props) {
  const columns = model.columns.value!;
  const order = model.order.value;
  const { by, descending } = model.sort.value;
  const total = open.trace.info.value?.recordNoun ?? 'point';
  const nameOf = (number: number) => givenName(open.trace.names, columns, number);
  const hasNames = open.trace.companions.value.length > 0 && order.some((number) => nameOf(number) !== '');
  const hasFiles = columns.file.some((file) => file >= 0);
  const head = [...(hasFiles ? ['File'] : []), 'Index', ...(hasNames ? ['Name'] : []), 'Count', 'First', 'Last'];
  const taken = (number: number) => [
    ...(hasFiles ? [columns.file[number]! < 0 ? '' : `${columns.file[number]}`] : []),
    columns.named[number] ? `${columns.place[number]}` : '',
    ...(hasNames ? [nameOf(number)] : []),
    `${columns.count[number]}`,
    `${columns.first[number]}`,
    `${columns.last[number]}`,
  ];
  const sortBy = (next: string) => {
    model.sort.value = { by: next as StatementOrder, descending: next === by ? !descending : next === 'count' };
    current.value = -1;
  };
  const show = (row: number) => {
    current.value = row;
    chosen.value = order[row]!;
  };
  const box = useRef<HTMLDivElement>(null);
  // Back from the table of a statement.
  useEffect(() => {
    if (current.peek() >= 0) takeFocus(box.current?.querySelector('table'));
  }, []);
  const points = columns.count.reduce((sum, count) => sum + count, 0);
  return (
    <div class="statements panel-body" ref={box}>
      <div class="panel-bar">
        <span class="muted">
          {formatCounted(order.length, 'statement')}, {formatCounted(points, total)}
        </span>
        {order.length > 0 && <TakeTable name="statements" head={head} rows={() => atOnce([...order], taken)} />}
      </div>
      <Table
        class="row-table"
        label="Statements"
        id="statement"
        count={order.length}
        row={(number) => order[number] ?? null}
        columns={columnsOf(columns, hasFiles, hasNames ? nameOf : null)}
        by={by}
        descending={descending}
        narrowedBy={[open.statistics.range.value]}
        sortBy={sortBy}
        current={current.value}
        choose={(row) => {
          current.value = row;
        }}
        click={show}
        act={show}
        menu={(number, row) => ({
          named: columns.named[number] ? { id: -1, text: ownName(columns, number), isCalled: false } : null,
          show: () => void goToPosition(ticks(BigInt(columns.first[number]!)), open),
          own: [{ id: 'occurrences', title: 'Show the values at each occurrence', run: () => show(row) }],
        })}
        look={() => ({ title: 'Show the values at each occurrence' })}
        empty={open.statistics.range.value ? 'No points in this range.' : 'The trace has no points.'}
      />
    </div>
  );
}

/**
 * `hasFiles`: some numbers of statements encode a file. `nameOf` returns the name that a companion gives to a statement; null if none
 * has one.
 */
function columnsOf(
  all: StatementColumns,
  hasFiles: boolean,
  nameOf: ((number: number) => string) | null,
): readonly Column<number>[] {
  const name: Column<number> = {
    title: 'Name',
    says: 'Name of the statement, and its line in the source',
    class: 'words',
    width: '30%',
    cell: (number) => nameOf?.(number) ?? '',
    look: (number) => ({ title: nameOf?.(number) ?? '' }),
    key: 'name',
  };
  const number = (of: 'count' | 'first' | 'last') => (row: number) => formatCount(all[of][row]!);
  const index: Column<number> = {
    title: 'Index',
    says: hasFiles ? 'Index of the statement in the syntax tree of its file' : 'Number of the statement',
    width: nameOf ? '8%' : '12%',
    cell: (row) => (all.named[row] ? `${all.place[row]}` : 'no statement'),
  };
  const file: Column<number> = {
    title: 'File',
    says: 'Number of the source file',
    width: '8%',
    cell: (row) => (all.file[row]! < 0 ? '' : all.file[row]!),
    key: 'statement',
  };
  return [
    ...(hasFiles ? [file, index] : [{ ...index, key: 'statement' }]),
    ...(nameOf ? [name] : []),
    { title: 'Count', says: 'Number of points at the statement', width: '9%', cell: number('count'), key: 'count' },
    { title: 'First', says: 'Number of its first point', width: '9%', cell: number('first'), key: 'first' },
    { title: 'Last', says: 'Number of its last point', width: '9%', cell: number('last'), key: 'last' },
    {
      title: 'Over time',
      says: 'Where in the trace its points are',
      class: 'words statements-heat',
      cell: (row) => <Heat shares={heatOf(all, row)} />,
    },
  ];
}

/** Where in the trace the points are: a cell is the darker, the more there are. */
function Heat({ shares }: { shares: readonly number[] }) {
  return (
    <svg viewBox={`0 0 ${shares.length} 1`} preserveAspectRatio="none" aria-hidden="true">
      {shares.map((share, i) =>
        share > 0 ? <rect key={i} x={i} y="0" width="1.02" height="1" fill-opacity={share} /> : null,
      )}
    </svg>
  );
}
