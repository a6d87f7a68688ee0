import { useMemo } from 'preact/hooks';
import { formatBytes, formatCount, formatCounted, formatPercent, formatPosition } from '../../base/format.ts';
import { plainTitle } from '../../base/plain.ts';
import { ticks } from '../../base/ticks.ts';
import type { PanelView } from '../../page/page.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import { goToPosition } from '../../timeline/go_to.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { type FindingOrder, type Findings, findingsOf } from '../../trace/findings.ts';
import { findingsIn, type ListedFinding, listed } from '../../trace/listed_findings.ts';
import './findings.css';

/** What a finding costs, for people. */
function costText({ cost: { amount, unit }, isMore, isAtMost }: ListedFinding): string {
  const text = unit === 'byte' ? formatBytes(amount) : formatCounted(amount, unit);
  return isAtMost ? `≤ ${text}` : isMore ? `≥ ${text}` : text;
}

/** The Findings panel of a trace. */
export function findingsView(open: OpenTrace): PanelView {
  return {
    component: () => {
      const findings = findingsOf(open);
      return findings && <FindingsTable open={open} findings={findings} />;
    },
  };
}

/** What a trace wastes or does wrong, a row each. A row leads to where it happens first, and from there to the next place. */
function FindingsTable({ open, findings }: { open: OpenTrace; findings: Findings }) {
  const { kinds, all, order, kind, chosen, state } = findings;
  const range = open.statistics.range.value;
  const inRange = useMemo(() => findingsIn(all.value, range), [all.value, range]);
  const rows = listed(inRange, kind.value, order.value);
  const titles = new Map(kinds.value.map(({ id, title }) => [id, title]));
  const current = rows.findIndex(({ whole }) => whole === chosen.value?.finding);
  const info = open.trace.info.value;
  const extent = open.trace.progress.value.extent;
  if (!info || !extent) return null;
  const first = (row: ListedFinding) => {
    const at = row.positions[0];
    return at === undefined ? '' : formatPosition(ticks(BigInt(at)), extent.from, info.clock);
  };
  const times: Column<ListedFinding> = {
    title: 'Times',
    width: '70px',
    key: 'count',
    cell: ({ count, isMore }) => (isMore ? `≥ ${formatCount(count)}` : formatCount(count)),
    look: ({ isMore, whole }) => ({
      title: isMore ? `Only the first ${formatCounted(whole.positions.length, 'place')} are listed` : undefined,
    }),
  };
  // Where each place costs one, the cost says how many there are.
  const isSame = rows.every(({ count, cost }) => count === cost.amount);
  const columns: readonly Column<ListedFinding>[] = [
    { title: 'Kind', class: 'words', width: '136px', key: 'kind', cell: (row) => titles.get(row.kind) ?? row.kind },
    { title: 'Finding', class: 'words', cell: (row) => row.sentence, look: (row) => ({ title: row.sentence }) },
    ...(isSame ? [] : [times]),
    {
      title: 'Cost',
      width: '104px',
      key: 'cost',
      cell: costText,
      look: ({ isAtMost }) => ({ title: isAtMost ? 'Its cost in the whole trace' : undefined }),
    },
    { title: 'First', width: '108px', key: 'first', cell: first },
  ];
  const go = ({ whole }: ListedFinding, at: number) => {
    chosen.value = { finding: whole, at };
    const position = whole.positions[at];
    if (position !== undefined) void goToPosition(ticks(BigInt(position)), open);
  };
  const sortBy = (key: string) => {
    const by = key as FindingOrder;
    const { by: before, descending } = order.peek();
    order.value = { by, descending: by === before ? !descending : by === 'count' || by === 'cost' };
  };
  const taken = (row: ListedFinding) => [
    titles.get(row.kind) ?? row.kind,
    row.sentence,
    String(row.count),
    String(row.cost.amount),
    row.cost.unit,
    row.positions.length > 0 ? String(row.positions[0]) : '',
  ];
  const act = (row: number) => {
    const finding = rows[row];
    if (finding) go(finding, finding.first);
  };
  const says = kinds.value.find(({ id }) => id === kind.value)?.says;
  return (
    <div class="findings panel-body">
      <div class="panel-bar">
        <KindChoice findings={findings} listed={inRange} />
        <Progress findings={findings} />
        {says && (
          <span class="muted" title={says}>
            {says}
          </span>
        )}
        <span class="panel-end findings-end">
          {chosen.value && current >= 0 && <Places finding={rows[current]!} at={chosen.value.at} go={go} />}
        </span>
        {rows.length > 0 && (
          <TakeTable
            name="findings"
            head={['Kind', 'Finding', 'Times', 'Cost', 'Unit', plainTitle('First', info.clock)]}
            rows={() => atOnce(rows, taken)}
          />
        )}
      </div>
      <Table
        class="row-table"
        label="Findings"
        id="finding"
        count={rows.length}
        row={(number) => rows[number] ?? null}
        columns={columns}
        by={order.value.by}
        descending={order.value.descending}
        narrowedBy={[kind.value, range]}
        sortBy={sortBy}
        current={current}
        choose={act}
        menu={(finding, row) => ({ named: null, show: finding.positions.length > 0 ? () => act(row) : null })}
        empty={state.value.at !== 'done' ? '' : all.value.length > 0 ? 'No findings in this range.' : 'Nothing found.'}
      />
    </div>
  );
}

/** Narrows the list to a kind. */
function KindChoice({
  findings: { kind, kinds, all },
  listed,
}: {
  findings: Findings;
  listed: readonly ListedFinding[];
}) {
  const counts = new Map<string, number>();
  for (const one of listed) counts.set(one.kind, (counts.get(one.kind) ?? 0) + 1);
  if (all.value.length === 0) return null;
  return (
    <select
      aria-label="Kind"
      value={kind.value}
      onChange={(event) => {
        kind.value = event.currentTarget.value;
      }}
    >
      <option value="">All kinds ({formatCount(listed.length)})</option>
      {kinds.value.map(({ id, title }) => (
        <option key={id} value={id}>
          {title} ({formatCount(counts.get(id) ?? 0)})
        </option>
      ))}
    </select>
  );
}

function Progress({ findings: { state, stop } }: { findings: Findings }) {
  const now = state.value;
  if (now.at === 'failed') return <span role="alert">{now.sentence}</span>;
  if (now.at === 'done') return now.isStopped ? <span class="muted">Stopped before the end</span> : null;
  if (now.at !== 'looking') return null;
  return (
    <>
      <progress max={1} value={now.share} aria-label="Looking for findings" />
      <span class="muted">Looking for findings… {formatPercent(now.share, 1)}</span>
      <button type="button" onClick={stop}>
        Stop
      </button>
    </>
  );
}

interface PlacesProps {
  readonly finding: ListedFinding;
  /** The index of a position in the whole trace. */
  readonly at: number;
  readonly go: (finding: ListedFinding, at: number) => void;
}

/** Leads from one place of a finding to the next. */
function Places({ finding, at: atWhole, go: goWhole }: PlacesProps) {
  const { length } = finding.positions;
  if (length < 2) return null;
  const cut = length < finding.count;
  // The place may be one before the range was another one.
  const at = Math.max(0, Math.min(length - 1, atWhole - finding.first));
  const go = (of: ListedFinding, to: number) => goWhole(of, to + of.first);
  return (
    <span class="findings-places row rigid">
      <button
        type="button"
        class="plain icon"
        aria-label="Previous place"
        title="Previous place"
        disabled={at === 0}
        onClick={() => go(finding, at - 1)}
      >
        ◂
      </button>
      <span class="muted" title={cut ? `The first ${formatCount(length)} of ${formatCount(finding.count)}` : undefined}>
        {formatCount(at + 1)} of {formatCount(length)}
        {cut && ' listed'}
      </span>
      <button
        type="button"
        class="plain icon"
        aria-label="Next place"
        title="Next place"
        disabled={at === length - 1}
        onClick={() => go(finding, at + 1)}
      >
        ▸
      </button>
    </span>
  );
}
