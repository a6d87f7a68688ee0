import { formatCount, shortened, titled } from '../../base/format.ts';
import type { Run } from '../../trace/call_runs.ts';
import type { Matched, MatchedRow } from '../../trace/slow_call.ts';
import './calls_beside.css';

/** One of two calls. */
export interface CallBeside {
  readonly title: string;
  /** How long it took, where and when. */
  readonly where: string;
  readonly select: () => void;
}

interface Props {
  readonly label: string;
  readonly slow: CallBeside;
  readonly median: CallBeside;
  readonly matched: Matched;
  /** The rows, in their order, and what is said of it. */
  readonly rows: readonly MatchedRow[];
  readonly order: string;
  /** The text of a length in ticks. */
  readonly length: (ticks: number) => string;
  readonly nameOf: (row: MatchedRow) => string;
  /** The name as it is shown, if that is another. */
  readonly shownName?: (row: MatchedRow) => string;
  /** What a click on a name does, and what that is. */
  readonly act: (row: MatchedRow) => void;
  readonly actTitle: (row: MatchedRow) => string;
  /** Self times of callees have columns. */
  readonly hasSelf?: boolean;
}

/** Two calls with their callees beside each other, and what each contributes to the difference. */
export function CallsBeside({ label, slow, median, matched, rows, order, length, ...rest }: Props) {
  const { nameOf, shownName = nameOf, act, actTitle, hasSelf = false } = rest;
  const { self, total } = matched;
  const differences = rows.map((row) => (row.slow?.total ?? 0) - (row.median?.total ?? 0));
  const most = Math.max(1, Math.abs(self.slow - self.median), ...differences.map(Math.abs));
  const side = (run: Run | null) => (
    <>
      <td class="count">
        {run && (run.count > 1 || run.merged) ? `${run.merged ? '> ' : ''}${formatCount(run.count)} ×` : ''}
      </td>
      <td>{run ? `${run.merged ? '≈' : ''}${length(run.total)}` : '–'}</td>
      {hasSelf && <td>{run ? `${run.merged ? '≈' : ''}${length(run.self)}` : '–'}</td>}
    </>
  );
  const columns = (
    <>
      <col class="count" />
      <col class="length" />
      {hasSelf && <col class="length" />}
    </>
  );
  const sum = (title: string, of: { readonly slow: number; readonly median: number }, isSelf: boolean) => (
    <tr class="sum">
      <th scope="row">{title}</th>
      {[of.slow, of.median].map((ticks, i) => [
        <td key={`count ${i}`} class="count" />,
        <td key={`total ${i}`}>{isSelf && hasSelf ? '' : length(ticks)}</td>,
        hasSelf && <td key={`self ${i}`}>{isSelf ? length(ticks) : ''}</td>,
      ])}
      <td>{signed(of.slow - of.median, length)}</td>
      {isSelf ? <Bar difference={of.slow - of.median} most={most} /> : <td />}
    </tr>
  );
  const span = hasSelf ? 3 : 2;
  return (
    <div class={hasSelf ? 'beside has-self column' : 'beside column'}>
      <div class="table thin-scroll grow">
        <table aria-label={label}>
          <colgroup>
            <col />
            {columns}
            {columns}
            <col class="length" />
            <col class="length" />
          </colgroup>
          <thead>
            <tr>
              <th scope="col" class="callee">
                {order}
              </th>
              {[slow, median].map(({ title, where, select }) => (
                <th key={title} scope="colgroup" colSpan={span}>
                  <button type="button" class="plain link" title={`Select this call: ${where}`} onClick={select}>
                    {title}
                  </button>
                  {hasSelf && <span class="beside-words">count, total, self</span>}
                </th>
              ))}
              <th scope="col" colSpan={2}>
                Difference
              </th>
            </tr>
          </thead>
          <tbody>
            {sum('Duration', total, false)}
            {sum('Self', self, true)}
            {rows.map((row, i) => (
              <tr key={`${i} ${row.name}`}>
                <th scope="row" class="name" title={titled(nameOf(row))}>
                  <button type="button" class="plain" title={actTitle(row)} onClick={() => act(row)}>
                    {shortened(shownName(row))}
                  </button>
                </th>
                {side(row.slow)}
                {side(row.median)}
                <td>{signed(differences[i]!, length)}</td>
                <Bar difference={differences[i]!} most={most} />
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <p class="panel-note muted">Neither call has callees.</p>}
      </div>
    </div>
  );
}

function signed(ticks: number, length: (ticks: number) => string): string {
  if (Math.round(ticks) === 0) return '0';
  return `${ticks < 0 ? '−' : '+'}${length(Math.abs(ticks))}`;
}

/** The difference as a bar: to the right what the slow call took longer. */
function Bar({ difference, most }: { difference: number; most: number }) {
  const share = (Math.abs(difference) / most) * 50;
  return (
    <td class="difference" aria-hidden="true">
      <span
        class={difference < 0 ? 'less' : 'more'}
        style={{ left: `${difference < 0 ? 50 - share : 50}%`, width: `${share}%` }}
      />
    </td>
  );
}
