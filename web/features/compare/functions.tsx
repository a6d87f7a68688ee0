import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatCount, formatPercent, shortened, titled } from '../../base/format.ts';
import type { Clock } from '../../base/protocol.ts';
import { widthOfHead, widthOfText } from '../../parts/columns.ts';
import { SideMark } from '../../parts/side_mark.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { type Compared, type Comparison, nameIn } from './comparison.ts';
import { changeText, factorText, figureOf, lengthOf, shareText } from './figures.ts';
import { VERDICTS, type Verdict } from './protocol.ts';

/** CSS pixels of the narrowest column of names. */
const NAMES = 140;

/** What verdicts mean, for their titles. */
const MEANINGS: Readonly<Record<Verdict, string>> = {
  new: 'Only B calls it',
  gone: 'Only A calls it',
  slower: 'A call takes longer in B, and not by chance',
  faster: 'A call takes less time in B, and not by chance',
  same: 'A difference of at most 5 % is likely',
  unsure: 'Too few calls, or times that vary too much',
};

interface Props {
  readonly comparison: Comparison;
  readonly compared: Compared;
  /** The rows that are listed, in the order of their change. */
  readonly rows: Uint32Array;
  readonly clock: Clock;
  /** Chooses a row of the comparison, in both traces. */
  readonly choose: (row: number) => void;
}

/** The functions of both, by what changed most. A chosen one stands out in both timelines. */
export function DifferenceTable({ comparison, compared, rows, clock, choose }: Props) {
  const columns = useMemo(() => columnsOf(compared, clock), [compared, clock]);
  const { chosen } = comparison;
  const minWidth = columns.reduce((sum, { width }) => sum + (width ? Number.parseInt(width, 10) : NAMES), 0);
  return (
    <Table
      label="Differences"
      id="difference"
      rowId={(row) => row}
      minWidth={`${minWidth}px`}
      sorts={rows}
      narrowedBy={[comparison.filter.value]}
      count={rows.length}
      row={(at) => rows[at] ?? null}
      columns={columns}
      current={rows.indexOf(chosen.value)}
      choose={(at) => {
        choose(rows[at] ?? -1);
      }}
      act={() => {
        comparison.view.value = 'calls';
      }}
      double={() => {
        comparison.view.value = 'calls';
      }}
      empty={compared.rows.length === 0 ? 'Neither trace has functions to compare.' : 'No function matches.'}
    />
  );
}

function columnsOf(compared: Compared, clock: Clock): readonly Column<number>[] {
  const { rows } = compared;
  const side = (which: 'a' | 'b', text: string): ComponentChildren => (
    <>
      <SideMark side={which} /> {text}
    </>
  );
  const wide = (title: string, texts: Iterable<string>): string => {
    let widest = widthOfHead(title);
    for (const text of texts) widest = Math.max(widest, widthOfText(text));
    return `${widest}px`;
  };
  const all = Array.from({ length: Math.min(rows.length, 300) }, (_, row) => row);
  const figure = (which: 'a' | 'b', of: 'self' | 'total' | 'count', title: string, says: string): Column<number> => {
    const value = (row: number) => figureOf(compared, which, of, row);
    const text = (row: number) => {
      const found = value(row);
      if (found === null) return '';
      return of === 'count' ? formatCount(found) : lengthOf(found, clock);
    };
    return {
      id: `${of}-${which}`,
      title: `${title} ${which.toUpperCase()}`,
      says,
      width: wide(`${title} A`, all.map(text)),
      key: `${of}-${which}`,
      value,
      cell: text,
    };
  };
  const change = (row: number) => changeText(rows.change[row]!, clock);
  const factor = (row: number) => factorText(rows.factor[row]!);
  const verdict = (row: number) => VERDICTS[rows.verdict[row]!]!;
  // Of unsure, it would be about the direction, which few would read out of it.
  const sure = (row: number) =>
    ['new', 'gone', 'unsure'].includes(verdict(row)) ? '' : formatPercent(Math.max(0.01, rows.confidence[row]!), 1);
  // What a verdict rests on comes first: a narrow panel has no room for all.
  return [
    {
      id: 'name',
      title: 'Function',
      says: 'Name of the function',
      class: 'name',
      key: 'name',
      value: (row) => nameIn(compared, row),
      cell: (row) => shortened(nameIn(compared, row)),
      look: (row) => ({ title: titled(nameIn(compared, row)) }),
    },
    {
      id: 'change',
      title: 'Difference',
      says: 'Self time of all calls in B minus that in A',
      width: wide('Difference', all.map(change)),
      key: 'change',
      value: (row) => rows.change[row]!,
      cell: change,
    },
    figure('a', 'self', 'Self', 'Time in the function itself, in A'),
    figure('b', 'self', 'Self', 'Time in the function itself, in B'),
    {
      id: 'factor',
      title: 'Per call',
      says: 'Typical self time of a call in B divided by that in A',
      width: wide('Per call', all.map(factor)),
      key: 'factor',
      value: (row) => (Number.isNaN(rows.factor[row]) ? null : rows.factor[row]!),
      cell: factor,
      look: (row) => ({ title: withoutCommon(rows.withoutCommon[row]!) }),
    },
    {
      id: 'verdict',
      title: 'Verdict',
      says: 'About the self time of a call',
      class: 'words',
      width: wide('Verdict', VERDICTS),
      key: 'verdict',
      value: (row) => rows.verdict[row]!,
      cell: (row) => {
        const word = verdict(row);
        if (word === 'new') return side('b', word);
        if (word === 'gone') return side('a', word);
        return word;
      },
      look: (row) => ({
        class: verdict(row) === 'same' || verdict(row) === 'unsure' ? 'words muted' : 'words difference-changed',
        title: MEANINGS[verdict(row)],
      }),
    },
    {
      id: 'sure',
      title: 'Sure',
      says: 'Probability of the verdict',
      width: wide('Sure', ['100 %']),
      key: 'sure',
      value: (row) => rows.confidence[row]!,
      cell: sure,
    },
    figure('a', 'count', 'Calls', 'Number of calls in A'),
    figure('b', 'count', 'Calls', 'Number of calls in B'),
    {
      id: 'share',
      title: 'Of all',
      says: 'The difference as a share of all differences: their magnitudes add up to 100 %',
      width: wide('Of all', ['<0.01 %']),
      key: 'share',
      value: (row) => Math.abs(rows.share[row]!),
      cell: (row) => shareText(rows.share[row]!),
    },
    figure('a', 'total', 'Total', 'Time in the function and its callees, in A'),
    figure('b', 'total', 'Total', 'Time in the function and its callees, in B'),
  ];
}

function withoutCommon(factor: number): string | undefined {
  return Number.isNaN(factor) ? undefined : `${factorText(factor)} without what most functions have in common`;
}
