import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount, plural } from '../../base/format.ts';
import type { RecordRow } from '../../base/record_protocol.ts';
import { createScope } from '../../base/scope.ts';
import { useLongList } from '../../parts/long_list.ts';
import { type Column, Table } from '../../parts/table.tsx';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import { createRowList, type RowList } from '../../trace/row_list.ts';
import { type AlignedRow, alignRows } from './aligned_rows.ts';
import { type LinePart, lineParts } from './line_parts.ts';
import { isNumbered, numberSays, numberWidth, textOf } from './record_text.ts';
import type { Hunk, RecordDifferences, Thread } from './records.ts';
import { reveal } from './shown.ts';
import './side_by_side.css';

interface Props {
  readonly differences: RecordDifferences;
  readonly pair: Pair;
  readonly thread: Thread;
  readonly hunks: readonly Hunk[];
  readonly noun: string;
  /** Keys of the fields that are compared. */
  readonly fields: readonly string[];
}

/** The records of a thread of both beside each other. A record without a counterpart has a gap beside it. */
export function SideBySide({ differences, pair, thread, hunks, noun, fields }: Props) {
  const own = useMemo(() => hunks.slice(thread.first, thread.end), [thread, hunks]);
  const rows = useMemo(() => alignRows(thread, own), [thread, own]);
  const list = useLongList(rows.count);
  const current = useSignal(-1);
  const both = useBoth(pair, thread);
  for (const { records } of both) void records.version.value;
  const chosen = differences.chosen.value;
  useEffect(() => {
    const hunk = hunks[chosen];
    if (!hunk || hunk.tracks !== thread.tracks) return;
    const row = rows.rowOf(hunk.a[0], hunk.b[0]);
    current.value = row;
    // What comes before it is in sight, too.
    list.goTop(Math.max(0, row - 3));
  }, [chosen, rows]);
  const recordsOf = ({ a, b }: AlignedRow) =>
    [a === null ? null : both[0].records.row(a), b === null ? null : both[1].records.row(b)] as const;
  const linesOf = (row: AlignedRow) => {
    const [first, second] = recordsOf(row);
    const texts = [first && textOf(pair.a, first, fields), second && textOf(pair.b, second, fields)] as const;
    if (texts[0] !== null && texts[1] !== null && row.how !== 'left-out') return lineParts(texts[0], texts[1]);
    return texts.map((text) => (text === null ? null : [{ text, differs: false }]));
  };
  const number = (side: 'a' | 'b'): Column<AlignedRow> => ({
    id: `number-${side}`,
    title: side.toUpperCase(),
    says: numberSays(pair, noun, side),
    width: numberWidth(pair[side]),
    cell: (row) => {
      const of = isNumbered(pair) ? (recordsOf(row)[side === 'a' ? 0 : 1]?.x ?? null) : row[side];
      return of === null ? '' : formatCount(of);
    },
    look: (row) => lookOf(row, side),
  });
  const line = (side: 'a' | 'b'): Column<AlignedRow> => ({
    id: `line-${side}`,
    title: `${capitalised(plural(2, noun))} of ${side.toUpperCase()}`,
    class: 'words',
    cell: (row) => {
      if (row[side] === null) return '';
      const parts = linesOf(row)[side === 'a' ? 0 : 1];
      return parts ? <Line parts={parts} side={side} /> : '…';
    },
    look: (row) => {
      const of = recordsOf(row)[side === 'a' ? 0 : 1];
      return { class: `mono ${lookOf(row, side).class}`, title: of ? textOf(pair[side], of, fields) : undefined };
    },
  });
  const sign: Column<AlignedRow> = {
    id: 'sign',
    title: '±',
    says: `− only in A, + only in B, ≠ the same ${noun} with other contents`,
    class: 'words',
    width: '28px',
    cell: (row) => {
      // Equal ones of callers that do not belong together.
      const [first, second] = row.how === 'alike' ? linesOf(row) : [null, null];
      const isEqual = first && second && ![...first, ...second].some(({ differs }) => differs);
      return isEqual ? '' : signOf(row);
    },
  };
  return (
    <Table
      label="Records of A and B"
      id="record-beside"
      class="beside"
      count={rows.count}
      row={rows.row}
      columns={[number('a'), line('a'), sign, number('b'), line('b')]}
      list={list}
      narrowedBy={[]}
      current={current.value}
      look={({ how }) => ({ class: how === 'same' ? '' : how === 'left-out' ? 'muted' : 'beside-differs' })}
      choose={(row) => {
        current.value = row;
        const { tracks } = thread;
        const { a, b } = rows.row(row);
        // Without a counterpart, the other timeline stays where it is.
        const one = (of: number | null) => [of ?? 0, of ?? 0] as const;
        const present = [a === null ? null : tracks[0], b === null ? null : tracks[1]] as const;
        void differences.records({ tracks: present, a: one(a), b: one(b) }).then((ends) => {
          if (current.peek() === row) reveal(pair, ends);
        });
      }}
      want={(first, end) => {
        for (const [side, { records }] of both.entries()) {
          const at = side === 0 ? 'a' : 'b';
          const numbers = Array.from({ length: end - first }, (_, k) => rows.row(first + k)[at]).filter(
            (of) => of !== null,
          );
          if (numbers.length > 0) records.want(numbers[0]!, numbers.at(-1)! + 1);
        }
      }}
    />
  );
}

/** What differs is said by a line below it, too, not by its colour alone. */
function Line({ parts, side }: { parts: readonly LinePart[]; side: 'a' | 'b' }) {
  return (
    <>
      {parts.map(({ text, differs }, i) =>
        differs ? (
          <mark key={i} data-side={side}>
            {text}
          </mark>
        ) : (
          text
        ),
      )}
    </>
  );
}

function signOf({ a, how }: AlignedRow): string {
  return { same: '', alike: '≠', only: a === null ? '+' : '−', 'left-out': '' }[how];
}

function lookOf(row: AlignedRow, side: 'a' | 'b') {
  if (row.how === 'same') return { class: '' };
  if (row.how === 'left-out') return { class: row[side] === null ? 'beside-gap' : '', title: 'Ignored' };
  return { class: row[side] === null ? 'beside-gap' : side === 'a' ? 'beside-a' : 'beside-b' };
}

/** The records of a thread of both, fetched as they come into sight. */
function useBoth(pair: Pair, thread: Thread) {
  const both = useMemo(() => {
    const scope = createScope();
    const stop = new AbortController();
    scope.add(() => stop.abort());
    const of = (open: OpenTrace, side: 0 | 1): { readonly records: RowList<RecordRow> } => {
      const [track, count] = [thread.tracks[side], thread.lengths[side]];
      return {
        records: createRowList<RecordRow>({
          count: () => count,
          ask: (first, many, take) => {
            if (track === null) return;
            const wanted = Math.min(many, count - first);
            void open.trace.records.numbered(track, first, wanted, stop.signal).then((rows) => {
              if (!stop.signal.aborted) take(rows);
            });
          },
        }),
      };
    };
    return { sides: [of(pair.a, 0), of(pair.b, 1)] as const, end: scope.dispose };
  }, [pair, thread]);
  useEffect(() => both.end, [both]);
  return both.sides;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
