import { useSignal } from '@preact/signals';
import { formatBytes, formatCount, formatCounted } from '../../../base/format.ts';
import { ticks } from '../../../base/ticks.ts';
import type { BufferOrder, BufferRow, ValuePlace } from '../../../base/values_protocol.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import { atOnce, inPortions, TakeTable } from '../../../parts/take_table.tsx';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { type Buffers, type CandidateInRange, revealPlace, whyOf } from '../variables.ts';
import { Failed, waiting } from './notes.tsx';

/** Their lifetimes, or pointers that may lead out of them. */
export type BuffersView = 'buffers' | 'candidates';

interface Props {
  readonly open: OpenTrace;
  readonly model: Buffers;
  readonly view: BuffersView;
  readonly choice: preact.ComponentChildren;
}

/** The buffers of a trace: when each was allocated and freed, the pointers into it, and those that may have left it. */
export function BuffersOf({ open, model, view, choice }: Props) {
  const table = model.table.value;
  const current = useSignal(-1);
  const { by, descending } = model.sort.value;
  void model.version.value;
  const go = (place: ValuePlace) => revealPlace(open.selection, place);
  const isLifetimes = view === 'buffers';
  const candidates = model.candidates.value;
  const count = model.count.value;
  const range = open.statistics.range.value;
  const isWhole = range === null;
  const act = (row: number) => {
    current.value = row;
    const place = isLifetimes ? model.row(row)?.from : null;
    if (place) go(place);
    const candidate = isLifetimes ? undefined : candidates[row];
    if (candidate && candidate.first !== null) void showPoint(open, candidate.first, candidate.track);
  };
  const menu = (_: unknown, row: number) => ({ named: null, show: () => act(row) });
  const sortBy = (next: string) => {
    const order = next as BufferOrder;
    const isUpwards = order === 'from' || order === 'address' || order === 'left';
    model.sort.value = { by: order, descending: order === by ? !descending : !isUpwards };
    current.value = -1;
  };
  return (
    <div class="variables panel-body">
      <div class="panel-bar">
        {choice}
        <span class="muted" role="status">
          {table
            ? isLifetimes
              ? isWhole
                ? lifetimesIn(table)
                : count === null
                  ? ''
                  : formatCounted(count, 'lifetime')
              : candidatesIn(candidates.length, table.isAll)
            : ''}
        </span>
        {isLifetimes && count !== null && count > 0 && (
          <TakeTable name="buffers" head={HEAD} rows={() => inPortions(model.page, bufferTexts)} />
        )}
        {!isLifetimes && candidates.length > 0 && (
          <TakeTable name="out of bounds" head={CANDIDATE_HEAD} rows={() => atOnce(candidates, candidateTexts)} />
        )}
      </div>
      {model.failed.value && <Failed what="buffers" retry={model.retry} />}
      {!table && !model.failed.value && <p class="panel-note muted">{waiting(open, 'Buffers are')}</p>}
      {table && isLifetimes && (
        <Table
          class="row-table"
          key="buffers"
          label="Buffers"
          id="buffer"
          count={count ?? 0}
          row={model.row}
          columns={lifetimeColumns(go)}
          by={by}
          descending={descending}
          narrowedBy={[range]}
          sortBy={sortBy}
          current={current.value}
          choose={act}
          menu={menu}
          want={model.want}
          empty={table.count === 0 ? 'The trace has no buffer sizes.' : count === 0 ? 'No buffer in this range.' : ''}
        />
      )}
      {table && !isLifetimes && (
        <Table
          class="row-table"
          key="candidates"
          label="Out of bounds"
          id="candidate"
          count={candidates.length}
          row={(number) => candidates[number] ?? null}
          columns={CANDIDATE_COLUMNS}
          sorts={candidates}
          narrowedBy={[range]}
          current={current.value}
          choose={act}
          menu={menu}
          empty={
            table.count === 0
              ? 'The trace has no buffer sizes, so pointers cannot be checked.'
              : `No pointer ${isWhole ? '' : 'in this range '}leaves its buffer, or points into one that was freed.`
          }
        />
      )}
    </div>
  );
}

/** Selects a point of a statement, by its number. */
async function showPoint({ trace, selection }: OpenTrace, point: number, track: number): Promise<void> {
  const row = await trace.records.recordAt(ticks(BigInt(point)), track);
  if (row) revealPlace(selection, { point, locator: row.locator, track });
}

function lifetimesIn({ count, rows, neverFreed, mostInUse }: NonNullable<Buffers['table']['value']>): string {
  const parts = [
    formatCounted(count, 'lifetime'),
    rows < count ? `the first ${formatCount(rows)} listed` : '',
    `${formatCount(neverFreed)} never freed`,
    `at most ${formatBytes(mostInUse)} at once`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function candidatesIn(listed: number, isAll: boolean): string {
  const count = formatCounted(listed, 'candidate');
  return isAll ? count : `${count}, others are not listed`;
}

const HEAD = ['Address', 'Size', 'From', 'To', 'End', 'Pointers', 'Least left', 'Names of pointers'];

function bufferTexts({ address, size, from, to, isResized, pointers, left, names }: BufferRow): readonly string[] {
  return [
    address,
    `${size}`,
    `${from.point}`,
    to ? `${to.point}` : '',
    to ? (isResized ? 'resized' : 'freed') : 'never freed',
    `${pointers}`,
    left === null ? '' : `${left}`,
    names.join(' '),
  ];
}

function lifetimeColumns(go: (place: ValuePlace) => void): readonly Column<BufferRow>[] {
  const link = (place: ValuePlace, text: string) => (
    <button
      type="button"
      class="plain link"
      tabIndex={-1}
      title={`Go to point ${formatCount(place.point)}`}
      onClick={(event) => {
        event.stopPropagation();
        go(place);
      }}
    >
      {text}
    </button>
  );
  return [
    { title: 'Address', class: 'words', width: '16%', cell: ({ address }) => address, key: 'address' },
    { title: 'Size', says: 'Bytes', width: '9%', cell: ({ size }) => formatCount(size), key: 'size' },
    {
      title: 'From',
      says: 'Point at which its size is recorded',
      width: '10%',
      cell: ({ from }) => link(from, formatCount(from.point)),
      key: 'from',
    },
    {
      title: 'To',
      says: 'Point at which it is freed or resized',
      width: '15%',
      cell: ({ to, isResized }) =>
        to ? (
          link(to, `${formatCount(to.point)} ${isResized ? 'resized' : 'freed'}`)
        ) : (
          <span class="muted">never freed</span>
        ),
    },
    {
      title: 'Length',
      says: 'Lifetime in points',
      width: '10%',
      cell: ({ from, to }) => (to ? formatCount(to.point - from.point) : ''),
      key: 'length',
    },
    {
      title: 'Pointers',
      says: 'Values of pointers that point into it',
      width: '9%',
      cell: ({ pointers }) => formatCount(pointers),
      key: 'pointers',
    },
    {
      title: 'Least left',
      says: 'The fewest bytes from such a pointer to the end of the buffer',
      width: '10%',
      cell: ({ left }) => (left === null ? '' : formatCount(left)),
      key: 'left',
    },
    {
      title: 'Pointed to by',
      class: 'words',
      says: 'The first pointers that point into it',
      cell: ({ names }) => names.join(', '),
      look: ({ names }) => ({ title: names.join(', ') }),
    },
  ];
}

const CANDIDATE_HEAD = ['Pointer', 'Type', 'Value', 'Finding', 'Buffer', 'Size', 'Point', 'Count'];

function candidateTexts(it: CandidateInRange): readonly string[] {
  return [it.name, it.type, it.value, whyOf(it), it.address, `${it.size}`, `${it.first ?? ''}`, `${it.count}`];
}

/** What an address in hexadecimal digits sorts by. */
function addressOf(text: string): bigint | string {
  return /^0x[\da-f]+$/i.test(text) ? BigInt(text) : text;
}

const CANDIDATE_COLUMNS: readonly Column<CandidateInRange>[] = [
  {
    title: 'Pointer',
    class: 'words',
    width: '13%',
    cell: ({ name }) => <b>{name || '(no name)'}</b>,
    look: ({ name, type }) => ({ title: `${name} : ${type}` }),
    value: ({ name }) => name,
  },
  { title: 'Value', class: 'words', width: '15%', cell: ({ value }) => value, value: ({ value }) => addressOf(value) },
  {
    title: 'Finding',
    class: 'words',
    says: 'What may be wrong',
    cell: whyOf,
    look: (it) => ({ title: whyOf(it) }),
    value: whyOf,
  },
  {
    title: 'Buffer',
    class: 'words',
    says: 'Address of the buffer',
    width: '15%',
    cell: ({ address }) => address,
    value: ({ address }) => addressOf(address),
  },
  {
    title: 'Size',
    says: 'Bytes of the buffer',
    width: '8%',
    cell: ({ size }) => formatCount(size),
    value: ({ size }) => size,
  },
  {
    title: 'First at',
    says: 'First such point at this statement',
    width: '10%',
    cell: ({ first }) => (first === null ? '–' : formatCount(first)),
    value: ({ first }) => first,
  },
  {
    title: 'Count',
    says: 'Occurrences at this statement in this buffer',
    width: '8%',
    cell: ({ count, isMore }) => (isMore ? `≥ ${formatCount(count)}` : formatCount(count)),
    look: ({ isMore }) => ({ title: isMore ? 'Only its first points are listed' : undefined }),
    value: ({ count }) => count,
  },
];
