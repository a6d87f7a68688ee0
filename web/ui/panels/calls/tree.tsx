import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted, formatPercent, formatShare, shortened } from '../../../base/format.ts';
import { plainLength, plainTitle } from '../../../base/plain.ts';
import type { Clock } from '../../../base/protocol.ts';
import { type TreeColumn, type TreeRow, treeMove, typedRow } from '../../../model/call_tree.ts';
import { type Calls, closedSiblings } from '../../../model/calls.ts';
import type { ThemeControl } from '../../../model/theme.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { LEVELS, PALETTES } from '../../../render/palette.ts';
import { useRowMenu } from '../../menu/row_menu.ts';
import { Segments } from '../../parts/segments.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import { Uncounted } from '../uncounted.tsx';
import { lengthText, unitOf } from '../units.ts';
import { scrollToRow, TABLE_ROW, useShownRows } from '../virtual_rows.tsx';
import { Chips, CollapseSwitch, CountSwitches, FunctionActions, PathFilter } from './bar.tsx';
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
    <div class="calls-body">
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
        <CollapseSwitch calls={calls} />
        <CountSwitches open={open} calls={calls} />
        <PathFilter calls={calls} />
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
      <Chips open={open} calls={calls} />
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
  const box = useRef<HTMLDivElement>(null);
  const { first, end, page, onScroll } = useShownRows(box, rows.length);
  const typed = useRef({ text: '', at: 0 });
  const current = useComputed(() => calls.rows.value.findIndex(({ key }) => key === calls.row.value)).value;
  useEffect(() => {
    if (current < 0 || !calls.sought.peek()) return;
    calls.sought.value = false;
    box.current!.scrollTop = Math.max(0, (current + 1) * TABLE_ROW - box.current!.clientHeight / 2);
  }, [current]);
  const nameAt = (row: TreeRow) => columns.name[row.index]!;
  const go = (to: number) => {
    const row = rows[to];
    if (!row) return;
    calls.row.value = row.key;
    statistics.highlighted.value = nameAt(row);
    scrollToRow(box.current!, to);
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
  const onKey = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[current];
    const move = treeMove(rows, current, event.key, page);
    if (move?.to === 'row') go(move.row);
    else if (move?.to === 'open') calls.open(move.key);
    else if (move?.to === 'close') calls.close(move.key);
    else if (event.key === '*') openMore();
    else if (event.key === 'Enter' && row) calls.list(nameAt(row));
    else if (event.key === ' ' && row) toggle(row);
    else if (/^[\p{L}\p{N}_#$@~<:]$/u.test(event.key)) type(event.key);
    // An arrow at the end of the tree moves nothing else.
    else if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onMenu = useRowMenu((row) => {
    const name = rows[row] ? nameAt(rows[row]) : -1;
    return { named: { id: name, text: trace.names.of(name), isCalled: true }, show: null };
  });
  const sort = calls.sort.value;
  const swatches = PALETTES[theme.theme.value].slices;
  return (
    <div class="tree" ref={box} onScroll={onScroll}>
      <div class="tree-head">
        {COLUMNS.map((by) => (
          <button
            type="button"
            key={by}
            class={`plain ${by}`}
            title={HEADS[by][1]}
            aria-pressed={sort.by === by}
            onClick={() => {
              calls.sort.value = { by, descending: sort.by === by ? !sort.descending : by !== 'name' };
            }}
          >
            {HEADS[by][0]}
            <span class="sort" aria-hidden="true">
              {sort.by === by ? (sort.descending ? '▾' : '▴') : ''}
            </span>
          </button>
        ))}
        <span class="share muted" title="As a share of the time in which any call was open">
          {calls.inverted.value ? 'Share of self' : 'Share'}
        </span>
      </div>
      <div
        role="tree"
        aria-label="Call tree"
        aria-activedescendant={current >= first && current < end ? `tree-row-${current}` : undefined}
        tabIndex={0}
        class="tree-rows"
        style={{ height: `${rows.length * TABLE_ROW}px` }}
        onKeyDown={onKey}
        onContextMenu={onMenu}
      >
        {rows.slice(first, end).map((row, k) => {
          const i = row.index;
          const name = nameAt(row);
          const total = columns.total[i]!;
          const weight = calls.inverted.value ? columns.self[i]! : total;
          const about = (text: string) => (isExact ? text : `≈${text}`);
          const share = about(formatShare(weight, columns.whole));
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys.
            <div
              key={row.key}
              id={`tree-row-${first + k}`}
              class="tree-row"
              role="treeitem"
              tabIndex={-1}
              aria-level={row.level}
              aria-posinset={row.position}
              aria-setsize={row.siblings}
              aria-selected={first + k === current}
              {...(row.state === 'leaf' ? {} : { 'aria-expanded': row.state === 'open' })}
              style={{ top: `${(first + k) * TABLE_ROW}px` }}
              onClick={(event) => {
                const isTwisty = event.target instanceof Element && event.target.closest('.twisty');
                go(first + k);
                if (isTwisty) toggle(row);
              }}
              onDblClick={(event) => {
                if (!(event.target instanceof Element && event.target.closest('.twisty'))) toggle(row);
              }}
            >
              <span class="name" style={{ paddingLeft: `${Math.min(row.level - 1, DEEPEST) * INDENT}px` }}>
                <span class={`twisty ${row.state}`} aria-hidden="true" />
                <span
                  class="swatch"
                  style={{ background: swatches[(trace.names.colour[name] ?? 0) * LEVELS + LEVELS - 1] }}
                />
                <span class="text" title={shortened(trace.names.of(name), LONGEST_TITLE)}>
                  {row.level > DEEPEST + 1 && <span class="muted">{`${formatCount(row.level)} deep · `}</span>}
                  {shortened(trace.names.of(name))}
                </span>
              </span>
              <span>{about(lengthText(BigInt(Math.round(total)), clock))}</span>
              {/* An estimate would be far from it: it is the difference of two. */}
              <span>{isExact ? lengthText(BigInt(Math.round(columns.self[i]!)), clock) : '…'}</span>
              <span>{about(formatCount(Math.round(columns.count[i]!)))}</span>
              <span class="share">
                {share}
                <span class="tree-bar" aria-hidden="true">
                  <span
                    style={{ width: `${columns.whole > 0 ? Math.min(100, (weight / columns.whole) * 100) : 0}%` }}
                  />
                </span>
              </span>
            </div>
          );
        })}
      </div>
      {rows.length === 0 && statistics.tree.value?.wanted.tree?.inverted === calls.inverted.value && (
        <p class="panel-note muted">
          {calls.changes.value.length > 0 ? 'No call path is left after these changes.' : 'No calls in this range.'}
        </p>
      )}
      {columns.cut > 0 && (
        <p class="panel-note muted">{`${formatCounted(columns.cut, 'row')} left out. Close rows, or filter paths.`}</p>
      )}
    </div>
  );
}
