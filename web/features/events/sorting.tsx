import { formatCount, formatPercent, plural } from '../../base/format.ts';
import type { RecordColumn, TraceInfo } from '../../base/protocol.ts';
import { MOST_ORDERED, type RecordSort } from '../../base/record_protocol.ts';
import { bringToFront, SQL_PANEL } from '../../page/dock.ts';
import type { Page } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { wantedQuery } from '../../trace/wanted_query.ts';

/** Whether records can be sorted by a column: not by all that the others leave. */
export function canSort({ shows }: Pick<RecordColumn, 'shows'>): boolean {
  return shows !== 'rest';
}

/** What a click on the head of a column sorts by: first upwards, then downwards, then in the order of the trace again. */
export function nextSort(sort: RecordSort | null, column: RecordColumn): RecordSort | null {
  // Upwards by position is the order of the trace.
  const again = sort?.column.label === column.label || (sort === null && column.shows === 'position');
  if (again && sort?.descending) return null;
  const { shows, key, label } = column;
  return { column: { shows, key, label }, descending: again };
}

/** The query whose rows are the records in this order, for a list that is too long to be sorted. */
export function sortQuery({ column: { shows, key, label }, descending }: RecordSort): string {
  const order = descending ? ' desc' : '';
  if (shows !== 'field' || key === undefined) {
    const by = shows === 'name' ? 'name' : shows === 'thread' ? 'track' : 'time';
    return `select id as record, time, track, name from records order by ${by}${order} limit 1000`;
  }
  const quoted = (text: string, quote: string) => `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
  return [
    `select r.id as record, r.time, r.name, f.value as ${quoted(label, '"')}`,
    `from records r join fields f on f.record = r.id and f.key = ${quoted(key, "'")}`,
    `order by f.value${order} limit 1000`,
  ].join('\n');
}

/** How far the sorting of the list is, or why it is not sorted and what sorts it. */
export function SortNote({ open, page, info }: { open: OpenTrace; page: Page; info: TraceInfo }) {
  const { sort, sorting, isTooLong } = open.events;
  const by = sort.value;
  if (sorting.value !== null) return <span class="muted">Sorting… {formatPercent(sorting.value, 1)}</span>;
  if (!by || !isTooLong.value) return null;
  return (
    <span class="muted">
      Not sorted: at most {formatCount(MOST_ORDERED)} {plural(2, info.recordNoun)} are sorted here.{' '}
      <button
        type="button"
        class="plain link"
        title={`Sort by ${by.column.label} in the SQL panel`}
        onClick={() => {
          wantedQuery(open).value = sortQuery(by);
          bringToFront(page.dock, info.format, SQL_PANEL);
        }}
      >
        Sort with SQL
      </button>
    </span>
  );
}
