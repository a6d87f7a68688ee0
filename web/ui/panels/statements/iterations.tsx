import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import type { ValuesKnown } from '../../../base/values_protocol.ts';
import type { Iterations } from '../../../model/iterations.ts';
import { laidHeight, shownRows } from '../../../model/long_list.ts';
import { valuesCompletions } from '../../../model/values_completion.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { ExpressionField, Wrong } from '../../parts/expression_field.tsx';
import { inPortions, TakeTable } from '../../parts/take_table.tsx';
import { Gap, useLongList } from '../long_list.tsx';
import { TABLE_ROW } from '../virtual_rows.tsx';

/** Rows above and below the visible ones. */
const SPARE = 8;
/** Widths of the columns in CSS pixels. */
const POINT = 96;
const VALUE = 150;

interface Props {
  readonly open: OpenTrace;
  readonly model: Iterations;
  /** The statement. */
  readonly name: string;
  readonly back: () => void;
}

/** The variables of a statement over its occurrences, changes marked. */
export function IterationsOf({ open, model, name, back }: Props) {
  const table = model.table.value;
  const known = useSignal<ValuesKnown | null>(null);
  useEffect(() => {
    void open.trace.records.aboutValues({ what: 'known' }).then((value) => {
      known.value = value;
    });
  }, []);
  const current = model.current.value;
  const last = (table?.rows ?? 0) - 1;
  const step = (by: 1 | -1) => model.choose(Math.max(0, Math.min(last, current < 0 && by < 0 ? last : current + by)));
  const wrong = model.wrong.value;
  const first = table?.columns[0]?.name ?? 'i';
  return (
    <div class="statements">
      <div class="panel-bar">
        <button type="button" onClick={back} title="Back to all statements">
          ← Statements
        </button>
        <span>
          Statement <span class="mono">{name}</span>
        </span>
        <ExpressionField
          open={open}
          id="iterations-filter"
          label="Narrow the occurrences by values"
          placeholder={`Values: a condition such as ${first} > 100`}
          text={model.text}
          wrong={wrong !== null}
          complete={(typed, caret) => valuesCompletions(typed, caret, known.value)}
          onEscape={() => {
            model.text.value = '';
          }}
        />
        <button type="button" disabled={last < 0 || current === 0} onClick={() => step(-1)}>
          Previous
        </button>
        <button type="button" disabled={last < 0 || current === last} onClick={() => step(1)}>
          Next
        </button>
        <span class="muted" role="status">
          {table ? amount(table.count, table.rows) : 'Reading values…'}
        </span>
        {table && table.rows > 0 && (
          <TakeTable
            name={`statement ${name.replace(':', '-')}`}
            head={['Point', ...table.columns.map((column) => column.name)]}
            rows={() => inPortions(model.page, ({ point, texts }) => [`${point}`, ...texts])}
          />
        )}
      </div>
      {wrong && <Wrong text={model.text.value} wrong={wrong} />}
      {table && <Table model={model} />}
    </div>
  );
}

function amount(count: number, rows: number): string {
  const all = formatCounted(count, 'occurrence');
  return rows < count ? `${all}, the first ${formatCount(rows)} listed` : all;
}

function Table({ model }: { model: Iterations }) {
  const box = useRef<HTMLDivElement>(null);
  const { rows: count, columns } = model.table.value!;
  const { place, scroll, go, follow, onScroll } = useLongList(box, count);
  // Repaint when rows arrive.
  void model.version.value;
  const { first, end, above } = shownRows(place, scroll, SPARE);
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, k) => model.row(first + k));
  useEffect(() => model.want(first, end));
  const current = model.current.value;
  useEffect(() => {
    if (current >= 0) go(current);
  }, [current]);
  const { column: by, descending } = model.sort.value;
  // Ascending, descending, and the order of the trace again.
  const sortBy = (column: number) => {
    const next =
      by !== column
        ? { column, descending: false }
        : descending
          ? { column: -1, descending: false }
          : { column, descending: true };
    model.sort.value = next;
  };
  const heads = [{ name: 'Point', type: '' }, ...columns];
  return (
    <div class="table" ref={box} onScroll={onScroll}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows can be selected.
        role="grid"
        aria-label="Occurrences"
        aria-rowcount={count + 1}
        aria-activedescendant={current >= first && current < end ? `occurrence-${current}` : undefined}
        tabIndex={0}
        onKeyDown={(event) => follow(event, current, model.choose)}
        style={{ width: `${POINT + columns.length * VALUE}px` }}
      >
        <colgroup>
          {heads.map((head, i) => (
            <col key={`${head.name} ${head.type}`} style={{ width: `${i === 0 ? POINT : VALUE}px` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {heads.map(({ name, type }, i) => {
              const isSorted = by === i - 1 && i > 0;
              return (
                <th
                  key={`${name} ${type}`}
                  scope="col"
                  class="number"
                  title={type === '' ? 'Number of the point' : `${name} : ${type}`}
                  aria-sort={isSorted ? (descending ? 'descending' : 'ascending') : 'none'}
                >
                  <button type="button" class="plain" onClick={() => sortBy(i - 1)}>
                    {name}
                    <span class="sort" aria-hidden="true">
                      {isSorted ? (descending ? '▾' : '▴') : ''}
                    </span>
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          <Gap pixels={above} columns={heads.length} />
          {rows.map((row, k) => {
            const number = first + k;
            return (
              <tr
                key={number}
                id={`occurrence-${number}`}
                aria-rowindex={number + 2}
                aria-selected={number === current}
                onClick={() => model.choose(number)}
              >
                <td class="number">{row ? formatCount(row.point) : ''}</td>
                {columns.map(({ name, type }, i) => {
                  const text = row?.texts[i] ?? '';
                  const changed = row?.changed[i] ?? false;
                  return (
                    <td
                      key={`${name} ${type}`}
                      class={`number ${changed ? 'statements-changed' : ''}`}
                      title={changed ? `${text}: changed since the previous occurrence in this table` : text}
                    >
                      {text}
                    </td>
                  );
                })}
              </tr>
            );
          })}
          <Gap pixels={laidHeight(place) - above - (end - first) * TABLE_ROW} columns={heads.length} />
        </tbody>
      </table>
      {count === 0 && <p class="panel-note muted">No occurrence matches.</p>}
    </div>
  );
}
