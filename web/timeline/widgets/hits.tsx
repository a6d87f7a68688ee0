import type { Hit, HitOrder } from '../../base/find_protocol.ts';
import { formatCount, formatLength, formatPosition, plural, shortened } from '../../base/format.ts';
import { plainLength, plainPosition, plainTitle } from '../../base/plain.ts';
import { ticks } from '../../base/ticks.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { inPortions, TakeTable } from '../../parts/take_table.tsx';
import { hitsKey } from '../../trace/derived.ts';
import type { OpenTrace } from '../open_trace.ts';
import { KeepButton } from './keep.tsx';
import './hits.css';

interface ColumnOf {
  readonly order: HitOrder;
  readonly title: string;
  /** CSS pixels; left out for the column that takes the rest. */
  readonly width?: number;
}

/** The reason why a text is not found that State shows. */
const BY_STEP =
  'Nothing found. Each step is searched by itself: text and bytes that several steps read or write, a part each, are not found.';

const POSITION: ColumnOf = { order: 'position', title: 'Position', width: 150 };
const THREAD: ColumnOf = { order: 'thread', title: 'Thread', width: 170 };
const NAME: ColumnOf = { order: 'name', title: 'Name' };
const DURATION: ColumnOf = { order: 'duration', title: 'Duration', width: 110 };
const MATCH: ColumnOf = { order: 'match', title: 'Match', width: 320 };

/** The hits of the search. */
export function Results({ open }: { open: OpenTrace }) {
  const { trace, find } = open;
  const { first, end } = find.listed.value;
  const count = end - first;
  const state = find.state.value;
  const all = find.count.value;
  const isLimited = open.statistics.range.value !== null;
  // Repaint when rows arrive.
  void find.version.value;
  const info = trace.info.value;
  const extent = trace.progress.value.extent;
  const order = find.order.value;
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
        return nameOf(hit);
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
  const nameOf = ({ name, title }: Hit) => (name === null ? trace.names.inPlaceOf(title) : trace.names.of(name));
  const isLane = (track: number) => trace.tracks.peek().get(track)?.kind === 'lane';
  return (
    <div class="results panel-body">
      <div class="panel-bar">
        <span class="muted">
          {isLimited && `${formatCount(count)} of `}
          {formatCount(all)} {plural(all, 'hit')} of <span class="mono">{shortened(find.asked.value)}</span>
          {isLimited && ` ${count === 1 ? 'begins' : 'begin'} in the range`}
        </span>
        {all > 0 && <KeepHits open={open} />}
        {count > 0 && <TakeTable name="hits" head={heads} rows={() => inPortions(find.page, taken)} />}
      </div>
      <Table
        label="Hits"
        id="hit"
        count={count}
        row={find.row}
        columns={columns.map(
          (column): Column<Hit> => ({
            id: column.order,
            title: column.title,
            class: column === POSITION || column === DURATION ? 'number' : 'words',
            width: column.width === undefined ? undefined : `${column.width}px`,
            cell: (hit) => textOf(hit, column),
            look: (hit) => ({ title: textOf(hit, column) }),
            key: column.order,
          }),
        )}
        by={order}
        descending={order === 'duration'}
        sortBy={(key) => {
          find.order.value = key as HitOrder;
        }}
        current={find.currentRow.value}
        narrowedBy={[find.asked.value, open.statistics.range.value]}
        follows={find.current.value}
        choose={find.choose}
        menu={(hit, row) => ({
          named: { id: hit.name ?? -1, text: nameOf(hit), isCalled: hit.end !== null && !isLane(hit.track) },
          show: () => find.choose(row),
        })}
        want={find.want}
        empty={
          state.at !== 'done'
            ? undefined
            : isLimited && all > 0
              ? 'No hit begins in the range.'
              : (state.reason ?? (info.offers.includes('state') ? BY_STEP : 'Nothing found.'))
        }
      />
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
