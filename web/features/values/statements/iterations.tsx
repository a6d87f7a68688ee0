import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatCount, formatCounted, formatNumeral } from '../../../base/format.ts';
import type { IterationColumn, IterationRow, ValuesKnown } from '../../../base/values_protocol.ts';
import { useLongList } from '../../../parts/long_list.ts';
import { Segments } from '../../../parts/segments.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { takeFocus } from '../../../parts/take_focus.ts';
import { atOnce, inPortions, TakeTable } from '../../../parts/take_table.tsx';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { ExpressionField, Wrong } from '../../../timeline/widgets/expression_field.tsx';
import { valuesCompletions } from '../../../trace/values_completion.ts';
import type { Iterations, IterationsView } from '../iterations.ts';
import { InvariantTable, invariantTexts } from './invariants.tsx';

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
    void open.trace.records
      .aboutValues((values) => values.knownValues())
      .then((value) => {
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
    <div class="statements panel-body">
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
          placeholder={`Values, such as ${first} > 100`}
          text={model.text}
          wrong={wrong !== null}
          complete={(typed, caret) => valuesCompletions(typed, caret, known.value)}
          onEscape={() => {
            model.text.value = '';
          }}
        />
        {view === 'occurrences' && (
          <span class="statements-step rigid">
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
      {view === 'occurrences' && table && <Occurrences model={model} />}
    </div>
  );
}

function amount(count: number, rows: number): string {
  const all = formatCounted(count, 'occurrence');
  return rows < count ? `${all}, the first ${formatCount(rows)} listed` : all;
}

function Occurrences({ model }: { model: Iterations }) {
  const list = useLongList(model.table.value!.rows);
  const { rows: count, columns } = model.table.value!;
  // Repaint when rows arrive.
  void model.version.value;
  // It comes in place of the list of statements.
  useEffect(() => takeFocus(list.box.current?.querySelector('table')), []);
  const { column: by, descending } = model.sort.value;
  return (
    <Table
      label="Occurrences"
      id="occurrence"
      columnsOf={columns.map(titleOf).join(' ')}
      minWidth={`${POINT + columns.length * VALUE}px`}
      count={count}
      row={model.row}
      columns={[
        {
          title: 'Point',
          says: 'Number of the point',
          width: `${POINT}px`,
          key: '-1',
          cell: ({ point }) => formatCount(point),
        },
        ...columns.map(
          (column, i): Column<IterationRow> => ({
            id: `${i}`,
            title: titleOf(column),
            says: column.isSize
              ? `Bytes from ${column.name} to the end of its buffer`
              : `${column.name} : ${column.type}`,
            width: `${VALUE}px`,
            key: `${i}`,
            cell: ({ texts }) => formatNumeral(texts[i] ?? ''),
            look: ({ texts, changed }) =>
              changed[i]
                ? {
                    class: 'statements-changed',
                    title: `${texts[i]}: changed since the previous occurrence in this table`,
                  }
                : { title: texts[i] },
          }),
        ),
      ]}
      // In the order of the trace they are sorted by none.
      by={by < 0 ? '' : `${by}`}
      descending={descending}
      // Ascending, descending, and the order of the trace again.
      sortBy={(key) => {
        const column = Number(key);
        const next = { column, descending: by === column };
        model.sort.value = by === column && descending ? { column: -1, descending: false } : next;
      }}
      current={model.current.value}
      narrowedBy={[model.table.value]}
      follows={model.wish.value}
      choose={model.choose}
      menu={(_, row) => ({ named: null, show: () => model.choose(row) })}
      want={model.want}
      list={list}
      empty="No occurrence matches."
    />
  );
}
