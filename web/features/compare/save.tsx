import { useSignal } from '@preact/signals';
import { formatCounted } from '../../base/format.ts';
import { plainLength, plainTitle } from '../../base/plain.ts';
import type { Clock } from '../../base/protocol.ts';
import { csvRow } from '../../parts/csv.ts';
import type { MenuItem } from '../../parts/menu/request.ts';
import { SaveMenu } from '../../parts/menu/save_menu.tsx';
import type { Pair } from '../../timeline/open_trace.ts';
import { saveBlob } from '../../trace/save_blob.ts';
import { type Compared, type Comparison, nameIn } from './comparison.ts';
import { figureOf } from './figures.ts';
import { type SavedKind, VERDICTS } from './protocol.ts';

interface Props {
  readonly comparison: Comparison;
  readonly compared: Compared;
  /** The rows of the table, as they are filtered. */
  readonly rows: Uint32Array;
  readonly pair: Pick<Pair, 'a' | 'b'>;
  readonly clock: Clock;
}

/** How long the confirmation shows. */
const TOLD_MS = 2000;

/** Names and types of the files. */
const FILES: Readonly<Record<SavedKind, readonly [name: string, type: string]>> = {
  report: ['differences.html', 'text/html'],
  functions: ['differences.functions.parquet', 'application/vnd.apache.parquet'],
  paths: ['differences.paths.parquet', 'application/vnd.apache.parquet'],
  folded: ['differences.folded.txt', 'text/plain'],
};

/** A menu of the files that the comparison can be saved as, and the table for the clipboard. */
export function Save({ comparison, compared, rows, pair, clock }: Props) {
  const told = useSignal('');
  const tell = (sentence: string) => {
    told.value = sentence;
    setTimeout(() => {
      if (told.peek() === sentence) told.value = '';
    }, TOLD_MS);
  };
  const save = async (kind: SavedKind) => {
    const [name, type] = FILES[kind];
    try {
      const file = await comparison.saved(kind, pair.a.trace.name, pair.b.trace.name);
      saveBlob(file.slice(0, file.size, type), name);
    } catch (error) {
      tell(typeof error === 'string' ? error : 'The comparison has ended');
    }
  };
  const csv = () => functionsCsv(compared, rows, clock);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(csv());
      tell(`${formatCounted(rows.length, 'row')} copied`);
    } catch {
      tell('The browser denied access');
    }
  };
  const items: readonly MenuItem[] = [
    { id: 'report', title: 'Report (HTML)', run: () => void save('report') },
    {
      id: 'csv',
      title: 'Functions (CSV)',
      begins: true,
      run: () => saveBlob(new Blob([csv()], { type: 'text/csv' }), 'differences.csv'),
    },
    { id: 'functions', title: 'Functions (Parquet)', run: () => void save('functions') },
    { id: 'paths', title: 'Call paths (Parquet)', run: () => void save('paths') },
    { id: 'folded', title: 'Stacks for difffolded.pl', run: () => void save('folded') },
    { id: 'copy', title: 'Copy functions', begins: true, run: () => void copy() },
  ];
  return (
    <>
      <SaveMenu title="Save the differences as a file, or copy them" items={items} />
      <span class="muted" role="status">
        {told.value}
      </span>
    </>
  );
}

/** The functions as comma-separated values with a head: lengths as numbers. */
function functionsCsv(compared: Compared, rows: Iterable<number>, clock: Clock): string {
  const length = (value: number | null) => (value === null ? '' : plainLength(BigInt(Math.round(value)), clock));
  const sides = ['a', 'b'] as const;
  const head = ['Function', plainTitle('Difference', clock), 'Share of all differences'];
  for (const of of ['Self', 'Total'] as const) {
    for (const side of sides) head.push(plainTitle(`${of} ${side.toUpperCase()}`, clock));
  }
  head.push('Calls A', 'Calls B', 'Per call', 'Verdict', 'Sure');
  const texts = (row: number) => [
    nameIn(compared, row),
    length(compared.rows.change[row]!),
    String(compared.rows.share[row]),
    ...(['self', 'total'] as const).flatMap((of) => sides.map((side) => length(figureOf(compared, side, of, row)))),
    ...sides.map((side) => String(figureOf(compared, side, 'count', row) ?? '')),
    Number.isNaN(compared.rows.factor[row]) ? '' : String(compared.rows.factor[row]),
    VERDICTS[compared.rows.verdict[row]!]!,
    String(compared.rows.confidence[row]),
  ];
  return [head, ...Array.from(rows, texts)].map(csvRow).join('');
}
