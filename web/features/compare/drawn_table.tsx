import { formatBytes, formatCount } from '../../base/format.ts';
import { Table } from '../../parts/table.tsx';
import type { Drawn, DrawnOfBoth } from './drawn.ts';

/** A figure of calls, as a row. */
interface Row {
  readonly title: string;
  readonly of: 'frames' | 'calls' | 'draws' | 'uploaded';
}

const ROWS: readonly Row[] = [
  { title: 'Frames', of: 'frames' },
  { title: 'Calls', of: 'calls' },
  { title: 'Draws', of: 'draws' },
  { title: 'Uploaded', of: 'uploaded' },
];

/** What the OpenGL calls of both add up to, as a whole and in a frame. */
export function DrawnTable({ drawn }: { drawn: DrawnOfBoth }) {
  const found = drawn.found.value;
  if (!found) return <p class="panel-note muted">{drawn.failed.value || 'The calls of both traces are being read.'}</p>;
  const text = ({ of }: Row, number: number) =>
    of === 'uploaded' ? formatBytes(Math.round(number)) : formatCount(Math.round(number));
  const mean = (row: Row, { frames, [row.of]: number }: Drawn) => {
    if (row.of === 'frames' || frames === 0) return '';
    const each = number / frames;
    // Few draws a frame differ by less than one.
    return row.of !== 'uploaded' && each < 100 && !Number.isInteger(each) ? each.toFixed(1) : text(row, each);
  };
  const [a, b] = found;
  const difference = (row: Row) => {
    const change = b[row.of] - a[row.of];
    return change === 0 ? '0' : `${change > 0 ? '+' : '−'}${text(row, Math.abs(change))}`;
  };
  return (
    <Table
      label="Differences between frames"
      id="drawn-difference"
      narrowedBy={[]}
      count={ROWS.length}
      row={(at) => ROWS[at] ?? null}
      columns={[
        { title: 'Figure', class: 'words', width: '120px', cell: ({ title }) => title },
        { title: 'Difference', says: 'That of B minus that of A', cell: difference },
        { title: 'In A', cell: (row) => text(row, a[row.of]) },
        { title: 'In B', cell: (row) => text(row, b[row.of]) },
        { title: 'A frame in A', says: 'Mean of its frames', cell: (row) => mean(row, a) },
        { title: 'A frame in B', says: 'Mean of its frames', cell: (row) => mean(row, b) },
      ]}
    />
  );
}
