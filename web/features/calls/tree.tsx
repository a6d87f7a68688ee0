import type { ComponentChildren } from 'preact';
import { formatCount, formatCounted, formatPercent, formatShare } from '../../base/format.ts';
import { plainLength, plainTitle } from '../../base/plain.ts';
import type { Clock } from '../../base/protocol.ts';
import { Segments } from '../../parts/segments.tsx';
import type { Column } from '../../parts/table.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import type { ThemeControl } from '../../parts/theme.ts';
import { noneOf } from '../../timeline/none.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { LEVELS, PALETTES } from '../../timeline/render/palette.ts';
import { Chips, CollapseSwitch, PathFilter } from '../../timeline/widgets/path_changes.tsx';
import { TreeTable } from '../../timeline/widgets/tree_table.tsx';
import type { TreeRow } from '../../trace/call_tree.ts';
import { FunctionActions, ShownMenu } from './bar.tsx';
import type { Calls } from './calls.ts';
import { Uncounted } from './uncounted.tsx';
import { lengthText, unitOf } from './units.ts';
import './tree.css';

const DIRECTIONS = [
  ['down', 'Top down'],
  ['up', 'Bottom up'],
] as const;

interface Props {
  readonly open: OpenTrace;
  readonly theme: ThemeControl;
  readonly calls: Calls;
  readonly lead: ComponentChildren;
  readonly sandwich: (name: number) => void;
}

/** Where time goes, as a tree: from outermost calls to callees, or from functions to their callers. */
export function CallTree({ open, theme, calls, lead, sandwich }: Props) {
  const { trace, statistics } = open;
  const told = statistics.tree.value;
  const info = trace.info.value;
  const chosen = statistics.highlighted.value;
  if (!info) return null;
  const clock = calls.clock.value ?? info.clock;
  return (
    <div class="panel-body">
      <div class="panel-bar">
        {lead}
        <Segments
          label="Direction"
          options={DIRECTIONS}
          value={calls.inverted.value ? 'up' : 'down'}
          choose={(direction) => {
            calls.inverted.value = direction === 'up';
            calls.sort.value = { by: direction === 'up' ? 'self' : 'total', descending: true };
            calls.row.value = '';
          }}
        />
        <CollapseSwitch paths={calls} />
        <ShownMenu open={open} calls={calls} />
        <PathFilter paths={calls} />
        <FunctionActions open={open} calls={calls} name={chosen} sandwich={sandwich} changes />
        {told && (
          <span class="muted panel-end">
            {told.exact
              ? formatCounted(told.slices, info.sliceNoun)
              : `Estimate from ${formatPercent(told.visited, told.slices)} of ${formatCounted(told.slices, info.sliceNoun)}`}
            {unitOf(clock)}
          </span>
        )}
        {told && <Take open={open} calls={calls} clock={clock} />}
      </div>
      <Chips paths={calls} names={trace.names} />
      {told ? <Rows open={open} theme={theme} calls={calls} clock={clock} /> : <Uncounted open={open} />}
    </div>
  );
}

/** Copies the open rows, or saves them: lengths as numbers. */
function Take({ open: { trace, statistics }, calls, clock }: Pick<RowsProps, 'open' | 'calls' | 'clock'>) {
  const head = ['Level', 'Function', plainTitle('Total', clock), plainTitle('Self', clock), 'Count'];
  const texts = ({ level, index }: TreeRow) => {
    const { columns } = statistics.tree.peek()!;
    const length = (of: Float64Array) => plainLength(BigInt(Math.round(of[index]!)), clock);
    const name = trace.names.of(columns.name[index]!);
    return [
      String(level),
      name,
      length(columns.total),
      length(columns.self),
      String(Math.round(columns.count[index]!)),
    ];
  };
  return <TakeTable name="call tree" head={head} rows={() => atOnce(calls.rows.peek(), texts)} />;
}

interface RowsProps {
  readonly open: OpenTrace;
  readonly theme: ThemeControl;
  readonly calls: Calls;
  readonly clock: Clock;
}

function Rows({ open, theme, calls, clock }: RowsProps) {
  const { trace, statistics } = open;
  const { columns, exact: isExact } = statistics.tree.value!;
  const nameAt = ({ index }: Pick<TreeRow, 'index'>) => columns.name[index]!;
  const swatches = PALETTES[theme.theme.value].slices;
  const weightOf = ({ index }: TreeRow) => (calls.inverted.value ? columns.self : columns.total)[index]!;
  const about = (text: string) => (isExact ? text : `≈${text}`);
  const length = (of: Float64Array, { index }: TreeRow) => lengthText(BigInt(Math.round(of[index]!)), clock);
  const figures: readonly Column<TreeRow>[] = [
    {
      title: 'Total',
      says: 'Time in the function and its callees; recursive calls count once',
      width: '110px',
      key: 'total',
      cell: (row) => about(length(columns.total, row)),
    },
    {
      title: 'Self',
      says: 'Time in the function itself',
      width: '110px',
      key: 'self',
      // An estimate would be far from it: it is the difference of two.
      cell: (row) => (isExact ? length(columns.self, row) : '…'),
    },
    {
      title: 'Count',
      says: 'Number of calls',
      width: '90px',
      key: 'count',
      cell: ({ index }) => about(formatCount(Math.round(columns.count[index]!))),
    },
    {
      title: calls.inverted.value ? 'Share of self' : 'Share',
      id: 'share',
      says: 'As a share of the time in which any call was open',
      width: '130px',
      cell: (row) => (
        <>
          {about(formatShare(weightOf(row), columns.whole))}
          <span class="share-bar tree-bar" aria-hidden="true">
            <span
              style={{ width: `${columns.whole > 0 ? Math.min(100, (weightOf(row) / columns.whole) * 100) : 0}%` }}
            />
          </span>
        </>
      ),
    },
  ];
  const isKnown = statistics.tree.value?.wanted.tree?.inverted === calls.inverted.value;
  const none = calls.changes.value.length > 0 ? 'No call path is left after these changes.' : noneOf(open, 'call');
  return (
    <TreeTable
      label="Call tree"
      id="tree-row"
      tree={calls}
      rows={calls.rows}
      names={trace.names}
      nameAt={nameAt}
      swatch={(name) => swatches[(trace.names.colour[name] ?? 0) * LEVELS + LEVELS - 1]}
      figures={figures}
      narrowedBy={[calls.changes.value, statistics.range.value, statistics.whose.value]}
      choose={(name) => {
        statistics.highlighted.value = name;
      }}
      act={calls.list}
      menu={(name) => ({ named: { id: name, text: trace.names.of(name), isCalled: true }, show: null })}
      empty={isKnown ? none : undefined}
    >
      {columns.cut > 0 && (
        <p class="panel-note muted">{`${formatCounted(columns.cut, 'row')} left out. Close rows, or filter paths.`}</p>
      )}
    </TreeTable>
  );
}
