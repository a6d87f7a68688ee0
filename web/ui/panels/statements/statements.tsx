import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import { createIterations } from '../../../model/iterations.ts';
import {
  createStatements,
  heatOf,
  type Statements as Model,
  type StatementOrder,
  statementName,
} from '../../../model/statements.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import type { PanelView } from '../../dock/panel.ts';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import { rowsByKey, Spacer, TABLE_ROW, useShownRows } from '../virtual_rows.tsx';
import { IterationsOf } from './iterations.tsx';
import './statements.css';

const HEADS: readonly (readonly [StatementOrder | null, title: string, says: string])[] = [
  ['statement', 'File', 'Number of the source file'],
  [null, 'Index', 'Index of the statement in the syntax tree of its file'],
  ['count', 'Count', 'Number of points at the statement'],
  ['first', 'First', 'Number of its first point'],
  ['last', 'Last', 'Number of its last point'],
  [null, 'Over time', 'Where in the trace its points are'],
];

/** The panel of one trace. */
export function statementsView(open: OpenTrace): PanelView {
  const model = createStatements(open.trace);
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
  const statement = chosen.value;
  const iterations = useMemo(
    () =>
      columns && statement >= 0
        ? createIterations(open.trace, open.selection, statement, columns.track[statement]!)
        : null,
    [columns, statement],
  );
  useEffect(() => () => iterations?.dispose(), [iterations]);
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
    return <IterationsOf open={open} model={iterations} name={statementName(columns, statement)} back={back} />;
  }
  return <List open={open} model={model} chosen={chosen} current={current} />;
}

function List({ open, model, chosen, current }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const columns = model.columns.value!;
  const order = model.order.value;
  const { by, descending } = model.sort.value;
  const { first, end, page, onScroll } = useShownRows(box, order.length);
  const total = open.trace.info.value?.recordNoun ?? 'point';
  const head = ['File', 'Index', 'Count', 'First', 'Last'];
  const taken = (number: number) => [
    columns.file[number]! < 0 ? '' : `${columns.file[number]}`,
    columns.named[number] ? `${columns.place[number]}` : '',
    `${columns.count[number]}`,
    `${columns.first[number]}`,
    `${columns.last[number]}`,
  ];
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && current.value >= 0) {
      chosen.value = order[current.value]!;
      event.preventDefault();
      return;
    }
    const step = rowsByKey(event, order.length, page);
    if (step === undefined) return;
    event.preventDefault();
    current.value = Math.max(0, Math.min(order.length - 1, current.value + step));
    const element = box.current!;
    const top = current.value * TABLE_ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + 2 * TABLE_ROW > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + 2 * TABLE_ROW - element.clientHeight;
    }
  };
  const sortBy = (next: StatementOrder) => {
    model.sort.value = { by: next, descending: next === by ? !descending : next === 'count' };
    current.value = -1;
  };
  const points = columns.count.reduce((sum, count) => sum + count, 0);
  return (
    <div class="statements">
      <div class="panel-bar">
        <span class="muted">
          {formatCounted(order.length, 'statement')}, {formatCounted(points, total)}
        </span>
        {order.length > 0 && <TakeTable name="statements" head={head} rows={() => atOnce([...order], taken)} />}
      </div>
      <div class="table" ref={box} onScroll={onScroll}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows can be opened.
          role="grid"
          aria-label="Statements"
          aria-rowcount={order.length + 1}
          aria-activedescendant={
            current.value >= first && current.value < end ? `statement-${current.value}` : undefined
          }
          tabIndex={0}
          onKeyDown={onKey}
        >
          <thead>
            <tr aria-rowindex={1}>
              {HEADS.map(([key, title, says]) => (
                <th
                  key={title}
                  scope="col"
                  class={title === 'Over time' ? 'statements-heat' : 'number'}
                  title={says}
                  aria-sort={key !== by ? (key ? 'none' : undefined) : descending ? 'descending' : 'ascending'}
                >
                  {key ? (
                    <button type="button" class="plain" onClick={() => sortBy(key)}>
                      {title}
                      <span class="sort" aria-hidden="true">
                        {key === by ? (descending ? '▾' : '▴') : ''}
                      </span>
                    </button>
                  ) : (
                    title
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer rows={first} columns={HEADS.length} />
            {Array.from(order.subarray(first, end), (number, k) => {
              const row = first + k;
              return (
                <tr
                  key={number}
                  id={`statement-${row}`}
                  aria-rowindex={row + 2}
                  aria-selected={row === current.value}
                  title="Show the values at each occurrence"
                  onClick={() => {
                    current.value = row;
                    chosen.value = number;
                  }}
                >
                  <td class="number">{columns.file[number]! < 0 ? '' : columns.file[number]}</td>
                  <td class="number">{columns.named[number] ? `${columns.place[number]}` : 'no statement'}</td>
                  <td class="number">{formatCount(columns.count[number]!)}</td>
                  <td class="number">{formatCount(columns.first[number]!)}</td>
                  <td class="number">{formatCount(columns.last[number]!)}</td>
                  <td class="statements-heat">
                    <Heat shares={heatOf(columns, number)} />
                  </td>
                </tr>
              );
            })}
            <Spacer rows={order.length - end} columns={HEADS.length} />
          </tbody>
        </table>
      </div>
    </div>
  );
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
