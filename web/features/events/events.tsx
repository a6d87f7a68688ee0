import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted, formatPercent, plural, shortened, titled } from '../../base/format.ts';
import { plainPosition, plainTitle } from '../../base/plain.ts';
import type { RecordColumn, Ticks, TraceInfo } from '../../base/protocol.ts';
import type { Listed, RecordRow, RecordScope } from '../../base/record_protocol.ts';
import type { Page, PanelView } from '../../page/page.ts';
import { Lazy } from '../../parts/lazy.tsx';
import { useLongList } from '../../parts/long_list.ts';
import type { RowSubject } from '../../parts/menu/row_menu.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { inPortions, TakeTable } from '../../parts/take_table.tsx';
import type { Events as EventList } from '../../timeline/events.ts';
import { noneOf } from '../../timeline/none.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { ExpressionField, Wrong } from '../../timeline/widgets/expression_field.tsx';
import { exampleTerm } from '../../trace/completion.ts';
import { typeOf } from '../../trace/event_types.ts';
import { termOfCell } from '../../trace/find_terms.ts';
import { type CellContext, cellTexts, positionText } from '../../trace/record_cells.ts';
import { canWalk } from '../../trace/stepping.ts';
import { looksLikeValues, takenForWords } from '../../trace/values_expression.ts';
import { columnWidths, fits, fitted, type Widths } from './column_widths.ts';
import { FoldBar, FoldContent } from './folding.tsx';
import type { Fold, FoldedCall, FoldedRows } from './folds.ts';
import { useListing } from './listing.ts';
import type { ListingFolds } from './listing_folds.ts';
import { findExecutions, foldsOf } from './loops.ts';
import { canSort, nextSort, SortNote } from './sorting.tsx';
import { titleOf } from './title.ts';
import { WalkBar } from './walking.tsx';
import '../../parts/segments.css';
import './events.css';

/** Rows that decide the widths of columns. */
const SEEN = 64;
/** CSS pixels that an indented column has for that. */
const INDENTED = 64;

const loadValuesBar = async () => (await import('./values_bar.tsx')).ValuesBar;

/** The panel of the records of a trace. */
export function eventsView(open: OpenTrace, page: Page): PanelView {
  return { component: () => <Events open={open} page={page} /> };
}

/** Every record of the range, one row each. */
function Events({ open, page }: { open: OpenTrace; page: Page }) {
  const { trace, events } = open;
  useEffect(() => {
    events.shown.value = true;
    return () => {
      events.shown.value = false;
    };
  }, [events]);
  const info = trace.info.value;
  const extent = trace.progress.value.extent;
  const listed = events.listed.value;
  const failure = events.failure.value;
  if (failure) return <Failure sentence={failure} retry={events.retry} />;
  if (!info || !extent) return <Waiting open={open} />;
  const { text, wrong, filter } = events.filter;
  const hasValues = info.offers.includes('values');
  const isByValues = hasValues && events.isByValues.value;
  const isFiltered = hasValues && listed !== null && filter.value !== null;
  const hint = isFiltered ? takenForWords(text.value, listed.rows, trace.records.listing.value !== null) : null;
  const wrongFilter = wrong.value ?? hint;
  const shownWrong = isByValues ? events.wrongValues.value : wrongFilter && { text: text.value, wrong: wrongFilter };
  return (
    <div class="events panel-body">
      <div class="panel-bar">
        {hasValues && <Mode open={open} />}
        {isByValues ? (
          <Lazy load={loadValuesBar} props={{ open, dock: page.dock }} />
        ) : (
          <>
            <ExpressionField
              open={open}
              id="events-filter"
              label={`Filter ${plural(2, info.recordNoun)}`}
              placeholder={`Filter, such as ${exampleTerm(info, 'records', events.fieldsSeen())}`}
              text={text}
              wrong={wrong.value !== null}
              onEscape={() => {
                text.value = '';
              }}
            />
            <span class="muted" role="status">
              {listed ? amount(listed, info, filter.value !== null) : ''}
              {listed && trace.records.listing.value ? ` · ${formatPercent(listed.done, listed.of)}` : ''}
            </span>
          </>
        )}
        {listed && <SortNote open={open} page={page} info={info} />}
        {listed && listed.rows > 0 && canWalk(info) && <WalkBar open={open} />}
        {listed && listed.rows > 0 && canWalk(info) && <FoldBar open={open} />}
        {listed && listed.rows > 0 && <Take open={open} info={info} origin={extent.from} />}
      </div>
      {shownWrong && <Wrong {...shownWrong} instead={hasValues && !isByValues ? asValues(open) : null} />}
      {listed ? <List open={open} page={page} info={info} origin={extent.from} /> : <Waiting open={open} />}
    </div>
  );
}

/** Asks for values with what was typed as a filter, if it reads like a condition on them. */
function asValues({ events }: OpenTrace) {
  const typed = events.filter.text.value.trim();
  if (!looksLikeValues(typed)) return null;
  return {
    title: `Search values: ${shortened(typed)}`,
    run: () => {
      events.filter.text.value = '';
      events.valuesText.value = typed;
      events.isByValues.value = true;
    },
  };
}

/** What the field is about: terms of the filter language, or values. */
function Mode({ open: { events } }: { open: OpenTrace }) {
  const { isByValues } = events;
  const modes = [
    { title: 'Filter', values: false },
    { title: 'Values', values: true },
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be laid out as a block.
    <div class="segments narrow-by rigid" role="group" aria-label="Narrow by">
      {modes.map(({ title, values }) => (
        <button
          key={title}
          type="button"
          class="segment toggle"
          aria-pressed={isByValues.value === values}
          onClick={() => {
            isByValues.value = values;
          }}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

function Failure({ sentence, retry }: { sentence: string; retry: () => void }) {
  return (
    <div class="panel-note events-failure">
      <p class="muted" role="alert">
        {sentence}
      </p>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

function Waiting({ open: { trace } }: { open: OpenTrace }) {
  const listing = trace.records.listing.value;
  const noun = plural(2, trace.info.value?.recordNoun ?? 'record');
  const words =
    trace.status.value.at === 'loading'
      ? `The ${noun} are listed once the file has been read.`
      : listing
        ? `Finding ${noun} in this range… ${formatPercent(listing.done, listing.of)}`
        : 'Listing…';
  return <p class="panel-note muted">{words}</p>;
}

function amount({ rows, inOrder }: Listed, { recordNoun }: TraceInfo, isNarrowed: boolean): string {
  const counted = isNarrowed ? `${formatCounted(rows, recordNoun)} found` : formatCounted(rows, recordNoun);
  return inOrder ? counted : `${counted}, listed thread by thread: too many threads to merge`;
}

/** What the cells of a trace's records need. */
function cellContext(
  { trace, eventTypes }: OpenTrace,
  { columns, clock }: TraceInfo,
  origin: Ticks,
  nameOf: CellContext['nameOf'],
): CellContext {
  const tracks = trace.tracks.value;
  return {
    columns,
    clock,
    origin,
    threadOf: (track) => tracks.get(track)?.name ?? '',
    nameOf,
    eventTypes: eventTypes.types.value,
  };
}

/** Copies the list, or saves it: positions as numbers. */
function Take({ open, info, origin }: { open: OpenTrace; info: TraceInfo; origin: Ticks }) {
  const { columns, clock, recordNoun } = info;
  const head = columns.map((column) => (isNumber(column) ? plainTitle(column.label, clock) : column.label));
  const rows = () => {
    const context = cellContext(open, info, origin, open.trace.names.inPlaceOf);
    return inPortions(open.events.portion, (row) =>
      cellTexts(row, context).map((text, i) => (isNumber(columns[i]!) ? plainPosition(row.x, origin, clock) : text)),
    );
  };
  return <TakeTable name={plural(2, recordNoun)} head={head} rows={rows} />;
}

interface ListProps {
  readonly open: OpenTrace;
  readonly page: Page;
  readonly info: TraceInfo;
  readonly origin: Ticks;
}

function List({ open, page, info, origin }: ListProps) {
  const { trace, events } = open;
  const folds = foldsOf(open);
  const rows = folds.rows.value;
  const list = useLongList(rows.count);
  const { first, end, go } = list;
  // Repaint when rows arrive.
  void events.version.value;
  const shown = Array.from({ length: end - first }, (_, k) =>
    rows.foldAt(first + k) ? null : events.row(rows.stepAt(first + k)),
  );
  const chosen = events.current.value;
  const current = chosen < 0 ? -1 : rows.rowOf(chosen);
  const remarks = events.remarks.value;
  const sort = events.sort.value;
  const remarkOf = (row: RecordRow | null | undefined) => (row && remarks?.get(Number(row.x))) || undefined;
  const wanted = events.wanted.value;
  useEffect(() => {
    if (wanted) go(rows.rowOf(wanted.row));
  }, [wanted]);
  const isFolding = folds.isFolding.value && folds.loops.value !== null;
  /** The rows as they were shown last, and the one at the top. */
  const before = useRef({ rows, top: 0 });
  useEffect(() => {
    const { rows: were, top } = before.current;
    if (current >= 0) go(current);
    else if (were !== rows) list.goTop(rows.rowOf(were.stepAt(Math.floor(top))));
  }, [isFolding]);
  useEffect(() => {
    before.current = { rows, top: list.top };
  });
  /** The current row is among those that are being shown. */
  const isRevealed = useRef(false);
  const openFold = (fold: Fold, row: number) => {
    isRevealed.current = row === current;
    folds.open(fold);
  };
  useEffect(() => {
    if (isRevealed.current) go(current);
    isRevealed.current = false;
  }, [rows]);
  const { columns, recordNoun } = info;
  const context = cellContext(open, info, origin, trace.names.shownInPlaceOf);
  const marked = columns.findIndex((column) => !isNumber(column));
  const listing = useListing(open, shown);
  const cells = shown.map((row) => row && cellTexts(row, context));
  const { pixels: ofTexts, flexible } = useWidths(events.question.value, () => {
    const seen = Array.from({ length: SEEN }, (_, k) => events.row(first + k)).filter((row) => row !== null);
    const last = trace.progress.peek().extent?.to;
    return {
      isKnown: seen.length > 0,
      widths: columnWidths(
        columns,
        seen.map((row) => cellTexts(row, context)),
        last === undefined ? '' : positionText(last, context),
      ),
    };
  });
  const indented = listing ? ofTexts.map((width, i) => width + (isIndented(columns[i]!) ? INDENTED : 0)) : ofTexts;
  const pixels = fitted(indented, list.width);
  // A row that has not arrived is chosen when it does.
  const choose = (row: number) => events.choose(rows.stepAt(row));
  /** Enter opens a fold, and folds the loop or the call that begins with a row. Any other row is chosen again. */
  const onEnter = () => {
    const fold = rows.foldAt(current);
    if (fold) return openFold(fold, current);
    const base = folds.base.value;
    const loop = base === null ? -1 : folds.loopAt(base + rows.stepAt(current));
    if (loop >= 0) return folds.toggleLoop(loop);
    const call = base === null ? null : listing?.call(current - first);
    if (call) folds.foldCall(call);
    else choose(current);
  };
  const menuOf = (row: number, cell: number): RowSubject => {
    const step = rows.stepAt(row);
    const record = events.row(step);
    const text = trace.names.inPlaceOf(record?.name ?? '');
    const column = columns[cell];
    const base = folds.base.value;
    const loop = rows.foldAt(row)?.loop ?? (base === null ? -1 : folds.loopAt(base + step));
    const narrow = (term: string) => {
      const before = events.filter.text.peek().trim();
      events.filter.text.value = before === '' ? term : `${/ or /i.test(before) ? `(${before})` : before} ${term}`;
    };
    return {
      named: text === '' ? null : { id: -1, text, isCalled: false },
      show: () => events.choose(step),
      own:
        loop < 0
          ? []
          : [
              {
                id: 'executions',
                title: 'List all executions of this loop',
                run: () => findExecutions(open, page, loop),
              },
            ],
      term: record && column ? termOfCell(column, record, context) : null,
      narrow,
      eventType: record && info.offers.includes('eventTypes') ? typeOf(record.fields) : null,
    };
  };
  const none = noneOf(open, recordNoun, !!events.question.value?.filter);
  return (
    <Table
      label={titleOf(info)}
      id="event"
      rowId={(row) => rows.stepAt(row)}
      minWidth={`${pixels.reduce((sum, width) => sum + width, 0)}px`}
      count={rows.count}
      row={(number) => number}
      columns={columns.map((column, i): Column<number> => {
        const isIndentedOne = isIndented(column);
        return {
          title: column.label,
          key: canSort(column) ? column.label : undefined,
          class: isNumber(column) ? 'number' : 'words',
          width: i === flexible ? undefined : `${pixels[i]}px`,
          cell: (row) => {
            const k = row - first;
            const text = cells[k]?.[i] ?? '';
            const remark = remarkOf(shown[k]);
            if (!isIndentedOne && !(remark && i === marked)) return text;
            return (
              <>
                {remark && i === marked && <span class="remark-mark" role="img" aria-label={remark} />}
                {isIndentedOne && <CallToggle {...{ open, folds, call: listing?.call(k) ?? null }} />}
                {text}
                {isIndentedOne && <LoopToggle {...{ folds, step: rows.stepAt(row) }} />}
                {isIndentedOne && <CallName {...{ open, call: listing?.call(k) ?? null }} />}
              </>
            );
          },
          look: (row) => {
            const text = cells[row - first]?.[i] ?? '';
            return {
              ...(isIndentedOne ? listing?.instruction(row - first) : undefined),
              title: remarkOf(shown[row - first]) ?? (fits(text, pixels[i]!) ? undefined : text),
            };
          },
        };
      })}
      by={sort?.column.label ?? columns.find(isNumber)?.label ?? ''}
      descending={sort?.descending ?? false}
      narrowedBy={[events.question.value]}
      sortBy={(label) => {
        events.sort.value = nextSort(sort, columns.find((column) => column.label === label)!);
      }}
      current={current}
      choose={choose}
      click={(row) => {
        const fold = rows.foldAt(row);
        if (fold) openFold(fold, row);
        else choose(row);
      }}
      act={onEnter}
      menu={(row, _, cell) => menuOf(row, cell)}
      look={(row) => {
        if (rows.foldAt(row)) return { class: 'fold' };
        const look = listing?.row(row - first, row - current);
        return { ...look, class: [look?.class, remarkOf(shown[row - first]) && 'remarked'].filter(Boolean).join(' ') };
      }}
      whole={(row) => {
        const fold = rows.foldAt(row);
        if (!fold) return null;
        return { content: <FoldContent open={open} page={page} fold={fold} />, title: 'Show these steps' };
      }}
      want={(from, to) => wantRows(events, rows, from, to)}
      list={list}
      empty={none}
    />
  );
}

/** Requests the first of the rows on the screen that are not there yet: those between two folds. */
function wantRows(events: EventList, rows: FoldedRows, first: number, end: number): void {
  let from = first;
  while (from < end) {
    if (rows.foldAt(from)) {
      from += 1;
      continue;
    }
    let to = from + 1;
    while (to < end && !rows.foldAt(to)) to += 1;
    const steps = Array.from({ length: to - from }, (_, k) => rows.stepAt(from + k));
    const isMissing = steps.some((step) => events.row(step) === null);
    if (isMissing || rows.folds === 0) {
      events.want(steps[0]!, steps.at(-1)! + 1);
      return;
    }
    from = to;
  }
}

interface CallProps {
  readonly open: OpenTrace;
  /** The call that begins with the row, or null. */
  readonly call: FoldedCall | null;
}

/** Folds the call that begins with a row. It stands before the text of the instruction. */
function CallToggle({ open, folds, call }: CallProps & { readonly folds: ListingFolds }) {
  if (folds.base.value === null || !call) return null;
  const name = open.trace.names.of(call.name);
  return (
    <button
      type="button"
      class="fold-toggle fold-call"
      tabIndex={-1}
      aria-expanded={true}
      aria-label={`Call of ${name}`}
      title={`Hide the steps of ${name}`}
      onClick={(event) => {
        event.stopPropagation();
        folds.foldCall(call);
      }}
    >
      ▾
    </button>
  );
}

/** The name of the function that a row enters, unless that is its address. */
function CallName({ open, call }: CallProps) {
  // Names may come later.
  void open.trace.names.version.value;
  const name = call ? open.trace.names.of(call.name) : '';
  if (!call || name === '' || name.startsWith('0x')) return null;
  return (
    <span class="call-name" title={titled(name)}>
      {open.trace.names.shown(call.name)}
    </span>
  );
}

/** Folds and unfolds the loop that begins with a row. It stands after the text of the instruction. */
function LoopToggle({ folds, step }: { readonly folds: ListingFolds; readonly step: number }) {
  const base = folds.base.value;
  const loop = base === null ? -1 : folds.loopAt(base + step);
  if (loop < 0) return null;
  const isOpen = folds.isOpen(loop);
  const count = formatCount(folds.loops.value?.count[loop] ?? 0);
  return (
    <button
      type="button"
      class="fold-toggle fold-loop"
      tabIndex={-1}
      aria-expanded={isOpen}
      aria-label={`Loop of ${count} iterations`}
      title={isOpen ? 'Hide the iterations between the first and the last one' : 'Show all iterations'}
      onClick={(event) => {
        event.stopPropagation();
        folds.toggleLoop(loop);
      }}
    >
      {isOpen ? '▾' : '▸'} × {count}
    </button>
  );
}

/** The widths that `measure` returns, once there are rows to know them of. They stay while the list is the same. */
function useWidths(
  listed: RecordScope | null,
  measure: () => { readonly isKnown: boolean; readonly widths: Widths },
): Widths {
  const known = useRef<{ listed: RecordScope | null; widths: Widths } | null>(null);
  if (known.current?.listed === listed) return known.current.widths;
  const { isKnown, widths } = measure();
  if (isKnown) known.current = { listed, widths };
  return widths;
}

/** Whether a listing of instructions indents the column by calls. */
function isIndented({ key }: RecordColumn): boolean {
  return key === 'instruction';
}

function isNumber({ shows }: RecordColumn): boolean {
  return shows === 'position';
}
