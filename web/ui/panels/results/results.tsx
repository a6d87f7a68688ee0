import { useEffect, useRef } from 'preact/hooks';
import type { Hit, HitOrder } from '../../../base/find_protocol.ts';
import { formatCount, formatLength, formatPosition, plural, shortened } from '../../../base/format.ts';
import { plainLength, plainPosition, plainTitle } from '../../../base/plain.ts';
import { ticks } from '../../../base/ticks.ts';
import { hitsKey } from '../../../model/derived.ts';
import { laidHeight, shownRows } from '../../../model/long_list.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { useRowMenu } from '../../menu/row_menu.ts';
import { KeepButton } from '../../parts/keep.tsx';
import { SortHead, sortedIf } from '../../parts/sort_head.tsx';
import { inPortions, TakeTable } from '../../parts/take_table.tsx';
import { Gap, useLongList } from '../long_list.tsx';
import { TABLE_ROW } from '../virtual_rows.tsx';
import { Which } from './which.tsx';
import './results.css';

/** Rows above and below the visible ones. */
const SPARE = 8;

interface ColumnOf {
  readonly order: HitOrder;
  readonly title: string;
  /** CSS pixels; left out for the column that takes the rest. */
  readonly width?: number;
}

const POSITION: ColumnOf = { order: 'position', title: 'Position', width: 150 };
const THREAD: ColumnOf = { order: 'thread', title: 'Thread', width: 170 };
const NAME: ColumnOf = { order: 'name', title: 'Name' };
const DURATION: ColumnOf = { order: 'duration', title: 'Duration', width: 110 };
const MATCH: ColumnOf = { order: 'match', title: 'Match', width: 320 };

/** The hits of the search. */
export function Results({ open }: { open: OpenTrace }) {
  const { trace, find } = open;
  const box = useRef<HTMLDivElement>(null);
  const count = find.count.value;
  const { place, scroll, go, follow, onScroll } = useLongList(box, count);
  const onMenu = useRowMenu((row) => {
    const hit = find.row(row);
    if (!hit) return null;
    const { name, title, end } = hit;
    const text = name === null ? trace.names.inPlaceOf(title) : trace.names.of(name);
    return { named: { id: name ?? -1, text, isCalled: end !== null }, show: () => find.choose(row) };
  });
  // Repaint when rows arrive.
  void find.version.value;
  const { first, end, above } = shownRows(place, scroll, SPARE);
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, k) => find.row(first + k));
  useEffect(() => find.want(first, end));
  const info = trace.info.value;
  const extent = trace.progress.value.extent;
  const order = find.order.value;
  const current = find.currentRow.value;
  useEffect(() => {
    if (current >= 0) go(current);
  }, [current]);
  if (!info || !extent) return null;
  const timed = info.clock.kind !== 'ordinal';
  const columns = [POSITION, THREAD, NAME, ...(timed ? [DURATION] : []), MATCH];
  const tracks = trace.tracks.value;
  const textOf = (hit: Hit, { order: shows }: ColumnOf): string => {
    switch (shows) {
      case 'position':
        return formatPosition(hit.start, extent.from, info.clock);
      case 'thread':
        return tracks.get(hit.track)?.name ?? '';
      case 'name':
        return hit.name === null ? trace.names.inPlaceOf(hit.title) : trace.names.of(hit.name);
      case 'duration':
        return hit.end === null ? '' : formatLength(ticks(hit.end - hit.start), info.clock);
      case 'match':
        return hit.matched;
    }
  };
  const taken = (hit: Hit) =>
    columns.map((column) => {
      if (column === POSITION) return plainPosition(hit.start, extent.from, info.clock);
      if (column === DURATION) return hit.end === null ? '' : plainLength(hit.end - hit.start, info.clock);
      return textOf(hit, column);
    });
  const heads = columns.map((column) =>
    column === POSITION || column === DURATION ? plainTitle(column.title, info.clock) : column.title,
  );
  // A row that has not arrived is chosen when it does.
  const onKey = (event: KeyboardEvent) => follow(event, current, find.choose);
  const isNumber = (column: ColumnOf) => column === POSITION || column === DURATION;
  return (
    <div class="results">
      <div class="panel-bar">
        <Which open={open} />
        <span class="muted">
          {formatCount(count)} {plural(count, 'hit')} of <span class="mono">{shortened(find.asked.value)}</span>
        </span>
        {count > 0 && <KeepHits open={open} />}
        {count > 0 && <TakeTable name="hits" head={heads} rows={() => inPortions(find.page, taken)} />}
      </div>
      <div class="table" ref={box} onScroll={onScroll}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows can be selected.
          role="grid"
          aria-label="Hits"
          aria-rowcount={count + 1}
          aria-activedescendant={current >= first && current < end ? `hit-${current}` : undefined}
          tabIndex={0}
          onKeyDown={onKey}
          onContextMenu={onMenu}
        >
          <colgroup>
            {columns.map(({ order: key, width }) => (
              <col key={key} style={width === undefined ? undefined : { width: `${width}px` }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <SortHead
                  key={column.order}
                  title={column.title}
                  class={isNumber(column) ? 'number' : ''}
                  sorted={sortedIf(column.order === order, order === 'duration')}
                  sort={() => {
                    find.order.value = column.order;
                  }}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            <Gap pixels={above} columns={columns.length} />
            {rows.map((hit, k) => {
              const row = first + k;
              return (
                <tr
                  key={row}
                  id={`hit-${row}`}
                  aria-rowindex={row + 2}
                  aria-selected={row === current}
                  onClick={() => find.choose(row)}
                >
                  {columns.map((column) => {
                    const text = hit ? textOf(hit, column) : '';
                    return (
                      <td key={column.order} class={isNumber(column) ? 'number' : ''} title={text}>
                        {text}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
            <Gap pixels={laidHeight(place) - above - (end - first) * TABLE_ROW} columns={columns.length} />
          </tbody>
        </table>
        {count === 0 && find.state.value.at === 'done' && <p class="panel-note muted">Nothing found.</p>}
      </div>
    </div>
  );
}

/** Keeps the hits as a track. */
function KeepHits({ open: { find, derived } }: { open: OpenTrace }) {
  const expression = find.asked.value;
  return (
    <KeepButton
      keeping={derived.keeping.value.get(hitsKey(expression))}
      reading={find.state.value.at === 'searching'}
      title="Show all hits on one track"
      onClick={() => void find.columns().then((hits) => derived.keepHits(expression, hits))}
      stop={() => derived.stop(hitsKey(expression))}
    />
  );
}
