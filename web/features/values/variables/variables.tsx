import { effect, type Signal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatCount, formatCounted, formatNumeral } from '../../../base/format.ts';
import type { ValueMoment, VariableSummary } from '../../../base/values_protocol.ts';
import type { PanelView } from '../../../page/page.ts';
import { Segments } from '../../../parts/segments.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { atOnce, TakeTable } from '../../../parts/take_table.tsx';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { valueTrackOf } from '../../../trace/value_tracks.ts';
import { hasFiles, keepByFile } from '../commands.ts';
import {
  createBuffers,
  createVariables,
  isConstant,
  type Variables as Model,
  revealPlace,
  type VariableOrder,
} from '../variables.ts';
import { BuffersOf, type BuffersView } from './buffers.tsx';
import { Failed, waiting } from './notes.tsx';
import { Sparkline } from './sparkline.tsx';
import { wantedVariable } from './wanted.ts';
import './variables.css';

/** What the panel shows. */
type View = 'variables' | BuffersView;

const VIEWS: readonly (readonly [View, string])[] = [
  ['variables', 'Variables'],
  ['buffers', 'Buffers'],
  ['candidates', 'Out of bounds'],
];

/** The panel of one trace. */
export function variablesView(open: OpenTrace): PanelView {
  const model = createVariables(open.trace, open.statistics.range);
  let buffers: ReturnType<typeof createBuffers> | null = null;
  const view = signal<View>('variables');
  const current = signal(-1);
  open.scope.add(
    effect(() => {
      if (wantedVariable(open).value) view.value = 'variables';
    }),
  );
  return {
    component: () => {
      const choice = (
        <Segments
          label="Variables or buffers"
          options={VIEWS}
          value={view.value}
          choose={(next) => {
            view.value = next;
          }}
        />
      );
      if (view.value === 'variables') return <Variables open={open} model={model} current={current} choice={choice} />;
      // Buffers are followed when they are first shown.
      buffers ??= createBuffers(open.trace, open.statistics.range);
      return <BuffersOf open={open} model={buffers} view={view.value} choice={choice} />;
    },
    dispose: () => {
      model.dispose();
      buffers?.dispose();
    },
  };
}

interface Props {
  readonly open: OpenTrace;
  readonly model: Model;
  /** Number of the current row, or -1. */
  readonly current: Signal<number>;
  readonly choice: preact.ComponentChildren;
}

const HEAD = ['Variable', 'Type', 'Count', 'Lowest', 'Highest', 'Distinct', 'Changes', 'Zero or null', 'Invalid'];

function taken(it: VariableSummary): readonly string[] {
  const { name, type, count, lowest, highest, different, changes, zeros, invalid } = it;
  return [
    name,
    type,
    `${count}`,
    lowest?.text ?? '',
    highest?.text ?? '',
    `${different}`,
    `${changes}`,
    `${zeros}`,
    `${invalid}`,
  ];
}

function Variables({ open, model, current, choice }: Props) {
  const all = model.all.value;
  const shown = model.shown.value;
  const { by, descending } = model.sort.value;
  const wanted = wantedVariable(open).value;
  const shownFor = useSignal<object | null>(null);
  useEffect(() => {
    if (!wanted || !all) return;
    wantedVariable(open).value = null;
    // It is in the list, whatever that was narrowed to.
    model.text.value = '';
    shownFor.value = wanted;
    current.value = model.shown
      .peek()
      .findIndex(({ name, type }) => name === wanted.name && type === (wanted.type ?? type));
  }, [wanted, all]);
  const choose = (row: number) => {
    current.value = row;
    const variable = shown[row];
    if (variable) reveal(open, variable, variable.first);
  };
  const sortBy = (next: string) => {
    const order = next as VariableOrder;
    const isText = order === 'name' || order === 'type';
    model.sort.value = { by: order, descending: order === by ? !descending : !isText };
    current.value = -1;
  };
  return (
    <div class="variables panel-body">
      <div class="panel-bar">
        {choice}
        <input
          type="search"
          aria-label="Filter variables"
          placeholder="Name or type"
          value={model.text.value}
          onInput={(event) => {
            model.text.value = event.currentTarget.value;
            current.value = -1;
          }}
        />
        <span class="muted" role="status">
          {all ? formatCounted(shown.length, 'variable') : ''}
        </span>
        {shown.length > 0 && <TakeTable name="variables" head={HEAD} rows={() => atOnce(shown, taken)} />}
      </div>
      {model.failed.value && <Failed what="variables" retry={model.retry} />}
      {!all && !model.failed.value && <p class="panel-note muted">{waiting(open, 'Variables are')}</p>}
      {all && (
        <Table
          class="row-table"
          label="Variables"
          id="variable"
          count={shown.length}
          row={(number) => shown[number] ?? null}
          columns={columnsOf(open)}
          by={by}
          descending={descending}
          narrowedBy={[model.text.value, open.statistics.range.value]}
          sortBy={sortBy}
          current={current.value}
          follows={shownFor.value}
          choose={choose}
          menu={({ name, lowest, highest }, row) => ({
            named: { id: -1, text: name, isCalled: false },
            show: () => choose(row),
            own: [
              ...[
                { at: lowest, title: 'Show its lowest value' },
                { at: highest, title: 'Show its highest value' },
              ].flatMap(({ at, title }) =>
                at ? [{ id: title, title, run: () => reveal(open, shown[row]!, at) }] : [],
              ),
              ...(hasFiles(open)
                ? [{ id: 'by-file', title: 'Show a track per file', run: () => keepByFile(open, name) }]
                : []),
            ],
          })}
          empty={
            all.length > 0
              ? 'No variable matches.'
              : open.statistics.range.value
                ? 'No variables in this range.'
                : 'The trace has no variables.'
          }
        />
      )}
    </div>
  );
}

/** Selects the point of a value, and brings the value track of its variable into view. */
function reveal({ trace, selection }: OpenTrace, variable: VariableSummary, moment: ValueMoment): void {
  revealPlace(selection, moment, valueTrackOf(trace.tracks.peek(), variable));
}

function columnsOf(open: OpenTrace): readonly Column<VariableSummary>[] {
  const extreme = (of: 'lowest' | 'highest') => (variable: VariableSummary) => {
    const moment = variable[of];
    if (!moment) return <span class="muted">–</span>;
    return (
      <button
        type="button"
        class="plain link"
        tabIndex={-1}
        title={`${formatNumeral(moment.text)}, first at point ${formatCount(moment.point)}`}
        onClick={(event) => {
          event.stopPropagation();
          reveal(open, variable, moment);
        }}
      >
        {formatNumeral(moment.text)}
      </button>
    );
  };
  return [
    {
      title: 'Variable',
      class: 'words',
      width: '10%',
      cell: ({ name }) => <b>{name || '(no name)'}</b>,
      look: ({ name }) => ({ title: name }),
      key: 'name',
    },
    {
      title: 'Type',
      class: 'words',
      width: '9%',
      cell: ({ type }) => <span class="muted">{type}</span>,
      look: ({ type }) => ({ title: type }),
      key: 'type',
    },
    {
      title: 'Count',
      says: 'Number of times it is recorded',
      width: '66px',
      cell: ({ count }) => formatCount(count),
      key: 'count',
    },
    { title: 'Lowest', says: 'Lowest value', width: '14.5%', cell: extreme('lowest') },
    { title: 'Highest', says: 'Highest value', width: '14.5%', cell: extreme('highest') },
    {
      title: 'Distinct',
      says: 'Number of different values',
      width: '10%',
      cell: (it) =>
        isConstant(it) ? 'constant' : it.isAll ? formatCount(it.different) : `${formatCount(it.different)} or more`,
      look: (it) => ({ title: isConstant(it) ? `Always ${formatNumeral(it.first.text)}` : '' }),
      key: 'different',
    },
    {
      title: 'Changes',
      says: 'How often it differs from its previous value',
      width: '76px',
      cell: ({ changes }) => formatCount(changes),
      key: 'changes',
    },
    {
      title: 'Null',
      says: 'How often a pointer is null',
      width: '54px',
      cell: ({ pointer, zeros }) => (pointer ? (zeros === 0 ? 'never' : formatCount(zeros)) : ''),
      key: 'zeros',
    },
    {
      title: 'Invalid',
      says: 'How often its value cannot be compared: bytes, or not a number',
      width: '60px',
      cell: ({ invalid }) => (invalid === 0 ? '' : formatCount(invalid)),
      key: 'invalid',
    },
    {
      title: 'Over time',
      class: 'words variables-time',
      says: 'The lowest and the highest value in each part of the trace, or of the range. Infinite values are at its ends, and dots at the bottom are not numbers',
      cell: ({ overTime, nanOverTime }) => <Sparkline cells={overTime} nan={nanOverTime} />,
    },
  ];
}
