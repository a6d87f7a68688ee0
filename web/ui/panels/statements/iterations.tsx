import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import type { IterationColumn, ValuesKnown } from '../../../base/values_protocol.ts';
import type { Iterations, IterationsView } from '../../../model/iterations.ts';
import { laidHeight, shownRows } from '../../../model/long_list.ts';
import { valuesCompletions } from '../../../model/values_completion.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { ExpressionField, Wrong } from '../../parts/expression_field.tsx';
import { Segments } from '../../parts/segments.tsx';
import { SortHead, sortedIf } from '../../parts/sort_head.tsx';
import { takeFocus } from '../../parts/take_focus.ts';
import { atOnce, inPortions, TakeTable } from '../../parts/take_table.tsx';
import { Gap, useLongList } from '../long_list.tsx';
import { TABLE_ROW } from '../virtual_rows.tsx';
import { InvariantTable, invariantTexts } from './invariants.tsx';

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
  /** The name that a companion gives to it, or ''. */
  readonly given: string;
  readonly back: () => void;
}

const VIEWS: readonly (readonly [IterationsView, string])[] = [
  ['occurrences', 'Occurrences'],
  ['invariants', 'Invariants'],
];

/** The title of a column: `p.size` for what is left of the buffer of a pointer. */
const titleOf = ({ name, isSize }: IterationColumn) => (isSize ? `${name}.size` : name);

/** The variables of a statement over its occurrences, changes marked, or what likely always holds there. */
export function IterationsOf({ open, model, name, given, back }: Props) {
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
  const view = model.view.value;
  const invariants = model.invariants.value;
  const first = table?.columns[0]?.name ?? 'i';
  return (
    <div class="statements">
      <div class="panel-bar">
        <button type="button" onClick={back} title="Back to all statements">
          ← Statements
        </button>
        <b class="mono statements-name" title={`Statement ${name}${given && `: ${given}`}`}>
          {given || name}
        </b>
        <Segments label="View of the statement" options={VIEWS} value={view} choose={model.show} />
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
        {view === 'occurrences' && (
          <span class="statements-step">
            <button
              type="button"
              disabled={last < 0 || current === 0}
              aria-label="Previous"
              title="Previous occurrence"
              onClick={() => step(-1)}
            >
              ←
            </button>
            <button
              type="button"
              disabled={last < 0 || current === last}
              aria-label="Next"
              title="Next occurrence"
              onClick={() => step(1)}
            >
              →
            </button>
          </span>
        )}
        <span class="muted statements-amount" role="status">
          {table ? amount(table.count, table.rows) : 'Reading values…'}
        </span>
        {view === 'occurrences' && table && table.rows > 0 && (
          <TakeTable
            name={`statement ${name.replace(':', '-')}`}
            head={['Point', ...table.columns.map(titleOf)]}
            rows={() => inPortions(model.page, ({ point, texts }) => [`${point}`, ...texts])}
          />
        )}
        {view === 'invariants' && invariants && invariants.length > 0 && (
          <TakeTable
            name={`invariants of statement ${name.replace(':', '-')}`}
            head={['Invariant', 'Kind', 'Holds', 'Exceptions']}
            rows={() => atOnce(invariants, invariantTexts)}
          />
        )}
      </div>
      {wrong && <Wrong text={model.text.value} wrong={wrong} />}
      {view === 'invariants' && <InvariantTable model={model} />}
      {view === 'occurrences' && table && <Table model={model} />}
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
  // It comes in place of the list of statements.
  useEffect(() => takeFocus(box.current?.querySelector('table')), []);
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
  const heads = [
    { name: 'Point', says: 'Number of the point' },
    ...columns.map((column) => ({
      name: titleOf(column),
      says: column.isSize ? `Bytes from ${column.name} to the end of its buffer` : `${column.name} : ${column.type}`,
    })),
  ];
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
        style={{ minWidth: `${POINT + columns.length * VALUE}px` }}
      >
        <colgroup>
          {heads.map((head, i) => (
            <col key={`${head.name} ${head.says}`} style={{ width: `${i === 0 ? POINT : VALUE}px` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {heads.map(({ name, says }, i) => (
              <SortHead
                key={`${name} ${says}`}
                title={name}
                says={says}
                class="number"
                sorted={sortedIf(by === i - 1 && i > 0, descending)}
                sort={() => sortBy(i - 1)}
              />
            ))}
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
                {columns.map(({ name, type, isSize }, i) => {
                  const text = row?.texts[i] ?? '';
                  const changed = row?.changed[i] ?? false;
                  return (
                    <td
                      key={`${name} ${type} ${isSize}`}
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
