import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted, formatPercent, formatShare, shortened } from '../../base/format.ts';
import { plainLength, plainTitle } from '../../base/plain.ts';
import type { Clock } from '../../base/protocol.ts';
import { useLongList } from '../../parts/long_list.ts';
import { Segments } from '../../parts/segments.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import type { ThemeControl } from '../../parts/theme.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { LEVELS, PALETTES } from '../../timeline/render/palette.ts';
import { Chips, CollapseSwitch, PathFilter } from '../../timeline/widgets/path_changes.tsx';
import { CountMenu, FunctionActions } from './bar.tsx';
import { type TreeColumn, type TreeRow, treeMove, typedRow } from './call_tree.ts';
import { type Calls, closedSiblings } from './calls.ts';
import { Uncounted } from './uncounted.tsx';
import { lengthText, unitOf } from './units.ts';
import './tree.css';

/** CSS pixels that a level is indented, and the deepest level that is. */
const INDENT = 14;
const DEEPEST = 24;
/** Characters of a name in its tooltip. */
const LONGEST_TITLE = 1000;
/** Milliseconds after which typed letters begin a new name. */
const TYPING_MS = 700;

const HEADS: Readonly<Record<TreeColumn, readonly [title: string, says: string]>> = {
  name: ['Function', 'Name of the function'],
  total: ['Total', 'Time in the function and its callees; recursive calls count once'],
  self: ['Self', 'Time in the function itself'],
  count: ['Count', 'Number of calls'],
};
const COLUMNS = ['name', 'total', 'self', 'count'] as const;
const WIDTHS: Readonly<Record<TreeColumn, string | undefined>> = {
  name: undefined,
  total: '110px',
  self: '110px',
  count: '90px',
};
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
        <CountMenu open={open} calls={calls} />
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
  const rows = calls.rows.value;
  const list = useLongList(rows.length);
  const typed = useRef({ text: '', at: 0 });
  const current = useComputed(() => calls.rows.value.findIndex(({ key }) => key === calls.row.value)).value;
  useEffect(() => {
    if (current < 0 || !calls.sought.peek()) return;
    calls.sought.value = false;
    list.go(current);
  }, [current]);
  const nameAt = (row: TreeRow) => columns.name[row.index]!;
  const go = (to: number) => {
    const row = rows[to];
    if (!row) return;
    calls.row.value = row.key;
    statistics.highlighted.value = nameAt(row);
    list.go(to);
  };
  const toggle = (row: TreeRow) => {
    if (row.state === 'closed') calls.open(row.key);
    else if (row.state === 'open') calls.close(row.key);
  };
  /** Opens all siblings of the current row; everything below them if they are open. */
  const openMore = () => {
    const row = rows[current];
    const closed = closedSiblings(rows, row?.key ?? rows[0]?.key ?? '');
    if (closed.length > 0) calls.openAll(closed);
    else calls.openEverything(row?.key ?? '');
  };
  const type = (letter: string) => {
    const now = performance.now();
    const { text, at } = typed.current;
    const fresh = now - at > TYPING_MS;
    const next = fresh ? letter : text + letter;
    typed.current = { text: next, at: now };
    // The first letter goes on to the next row, further letters may keep the row.
    const found = typedRow(rows, current + (fresh || current < 0 ? 1 : 0), next, (i) =>
      trace.names.of(columns.name[i]!),
    );
    if (found >= 0) go(found);
  };
  const onKey = ({ key }: KeyboardEvent) => {
    const row = rows[current];
    const move = treeMove(rows, current, key);
    if (move?.to === 'row') go(move.row);
    else if (move?.to === 'open') calls.open(move.key);
    else if (move?.to === 'close') calls.close(move.key);
    else if (key === '*') openMore();
    else if (key === ' ' && row) toggle(row);
    else if (/^[\p{L}\p{N}_#$@~<:]$/u.test(key)) type(key);
    // An arrow at the end of the tree moves nothing else.
    else return key === 'ArrowLeft' || key === 'ArrowRight';
    return true;
  };
  const sort = calls.sort.value;
  const swatches = PALETTES[theme.theme.value].slices;
  const weightOf = ({ index }: TreeRow) => (calls.inverted.value ? columns.self : columns.total)[index]!;
  const about = (text: string) => (isExact ? text : `≈${text}`);
  const length = (of: Float64Array, { index }: TreeRow) => lengthText(BigInt(Math.round(of[index]!)), clock);
  const cells: Readonly<Record<TreeColumn, (row: TreeRow) => ComponentChildren>> = {
    name: (row) => {
      const name = nameAt(row);
      return (
        <span class="tree-name mono" style={{ paddingLeft: `${Math.min(row.level - 1, DEEPEST) * INDENT}px` }}>
          <span class={`twisty rigid ${row.state}`} aria-hidden="true" />
          <span
            class="swatch"
            style={{ background: swatches[(trace.names.colour[name] ?? 0) * LEVELS + LEVELS - 1] }}
          />
          <span class="text" title={shortened(trace.names.of(name), LONGEST_TITLE)}>
            {row.level > DEEPEST + 1 && <span class="muted">{`${formatCount(row.level)} deep · `}</span>}
            {shortened(trace.names.of(name))}
          </span>
        </span>
      );
    },
    total: (row) => about(length(columns.total, row)),
    // An estimate would be far from it: it is the difference of two.
    self: (row) => (isExact ? length(columns.self, row) : '…'),
    count: ({ index }) => about(formatCount(Math.round(columns.count[index]!))),
  };
  const share: Column<TreeRow> = {
    title: calls.inverted.value ? 'Share of self' : 'Share',
    id: 'share',
    says: 'As a share of the time in which any call was open',
    width: '130px',
    cell: (row) => (
      <>
        {about(formatShare(weightOf(row), columns.whole))}
        <span class="share-bar tree-bar" aria-hidden="true">
          <span style={{ width: `${columns.whole > 0 ? Math.min(100, (weightOf(row) / columns.whole) * 100) : 0}%` }} />
        </span>
      </>
    ),
  };
  const isTwisty = ({ target }: MouseEvent) => target instanceof Element && target.closest('.twisty') !== null;
  const isKnown = statistics.tree.value?.wanted.tree?.inverted === calls.inverted.value;
  const none = calls.changes.value.length > 0 ? 'No call path is left after these changes.' : 'No calls in this range.';
  return (
    <Table
      class="tree"
      label="Call tree"
      id="tree-row"
      count={rows.length}
      row={(number) => rows[number] ?? null}
      columns={[
        ...COLUMNS.map(
          (by): Column<TreeRow> => ({
            title: HEADS[by][0],
            says: HEADS[by][1],
            class: by === 'name' ? 'words' : 'number',
            width: WIDTHS[by],
            key: by,
            cell: cells[by],
          }),
        ),
        share,
      ]}
      by={sort.by}
      descending={sort.descending}
      sortBy={(key) => {
        const by = key as TreeColumn;
        calls.sort.value = { by, descending: sort.by === by ? !sort.descending : by !== 'name' };
      }}
      current={current}
      choose={go}
      click={(number, event) => {
        go(number);
        if (isTwisty(event)) toggle(rows[number]!);
      }}
      act={(number) => calls.list(nameAt(rows[number]!))}
      double={(number, event) => {
        if (!isTwisty(event)) toggle(rows[number]!);
      }}
      onKey={onKey}
      menu={(row) => ({ named: { id: nameAt(row), text: trace.names.of(nameAt(row)), isCalled: true }, show: null })}
      level={({ level, position, siblings, state }) => ({
        level,
        position,
        siblings,
        isOpen: state === 'leaf' ? null : state === 'open',
      })}
      list={list}
      empty={isKnown ? none : undefined}
    >
      {columns.cut > 0 && (
        <p class="panel-note muted">{`${formatCounted(columns.cut, 'row')} left out. Close rows, or filter paths.`}</p>
      )}
    </Table>
  );
}
