import { useEffect } from 'preact/hooks';
import { formatCount, formatCounted, shortened } from '../../base/format.ts';
import type { RecordRow } from '../../base/record_protocol.ts';
import { ticks } from '../../base/ticks.ts';
import { SideMark } from '../../parts/side_mark.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { alignmentOf } from '../../timeline/alignment.ts';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import { fieldsLine, valueLine } from '../../trace/values.ts';
import type { Ends, Hunk, RecordDifferences } from './records.ts';
import { wordsOf } from './work.ts';

/** Characters of a record in its cell. */
const LONGEST = 300;

interface Props {
  readonly differences: RecordDifferences;
  readonly pair: Pair;
}

/** The records of both that have no counterpart, thread by thread. A chosen difference stands below each other in both timelines. */
export function RecordsOfBoth({ differences, pair }: Props) {
  const { state: of, chosen, wanted, ends } = differences;
  useEffect(() => {
    wanted.value = true;
  }, []);
  const state = of.value;
  if (state.at !== 'done') return <p class="panel-note muted">{wordsOf(state)}</p>;
  const { hunks, fields } = state;
  const noun = pair.a.trace.info.value?.recordNoun ?? 'record';
  const [firstHunk] = hunks;
  if (!firstHunk) {
    return <p class="panel-note muted">{`Each ${noun} of A is in B, and the other way round, in the same order.`}</p>;
  }
  const show = (number: number) => {
    chosen.value = number;
    const hunk = hunks[number];
    if (!hunk) return;
    void differences.records(hunk).then((ends) => {
      if (chosen.peek() === number) reveal(pair, ends);
    });
  };
  // Those of one thread share its tracks.
  const threads = new Set(hunks.map(({ tracks }) => tracks)).size;
  const step = (by: 1 | -1) => {
    const next = chosen.peek() + by;
    if (hunks[next]) show(next);
  };
  return (
    <>
      <p class="difference-sentence" role="status">
        {`${formatCounted(hunks.length, 'difference')} in ${formatCounted(threads, 'thread')}. The first one is at ${place(pair, firstHunk, noun)}.`}
      </p>
      <Table
        label="Differences between records"
        id="record-difference"
        count={hunks.length}
        row={(number) => hunks[number] ?? null}
        columns={columnsOf(pair, noun, fields, ends.value)}
        current={chosen.value}
        follows
        choose={show}
        want={differences.want}
        onKey={(event) => {
          if (event.key !== 'n' && event.key !== 'N') return false;
          step(event.shiftKey ? -1 : 1);
          return true;
        }}
      />
    </>
  );
}

/** Selects the records in both traces, and has them stand below each other. */
function reveal(pair: Pair, [first, second]: Ends): void {
  const { a, b } = pair;
  if (first && second) alignmentOf(pair).align({ a: first.x, b: second.x });
  if (first) a.selection.revealRecord(first);
  if (second) {
    b.selection.selectRecord(second);
    b.selection.revealRow();
  }
}

function columnsOf(
  pair: Pair,
  noun: string,
  fields: readonly string[],
  ends: ReadonlyMap<number, Ends>,
): readonly Column<Hunk>[] {
  const numbers = (side: 'a' | 'b'): Column<Hunk> => ({
    id: `at-${side}`,
    title: `At ${side.toUpperCase()}`,
    says: `Number of the ${noun} in its thread of ${side.toUpperCase()}, from 0`,
    width: '90px',
    cell: (hunk) => formatCount(hunk[side][0]),
  });
  const record = (side: 'a' | 'b'): Column<Hunk> => ({
    id: `record-${side}`,
    title: `First ${noun} ${side.toUpperCase()}`,
    says: `The first ${noun} of ${side.toUpperCase()} that has no counterpart`,
    class: 'words mono',
    cell: (hunk, number) => {
      const [from, to] = hunk[side];
      if (from === to) return <span class="muted">–</span>;
      const row = ends.get(number)?.[side === 'a' ? 0 : 1];
      return row ? (
        <>
          <SideMark side={side} /> {textOf(pair[side], row, fields)}
        </>
      ) : (
        '…'
      );
    },
    look: (hunk, number) => {
      const row = hunk[side][0] < hunk[side][1] ? ends.get(number)?.[side === 'a' ? 0 : 1] : null;
      return { title: row ? textOf(pair[side], row, fields) : undefined };
    },
  });
  return [
    {
      title: 'Thread',
      class: 'words',
      width: '130px',
      cell: ({ tracks }) => threadOf(pair, tracks),
    },
    numbers('a'),
    numbers('b'),
    { title: 'What differs', class: 'words', width: '190px', cell: (hunk) => whatDiffers(hunk, noun) },
    record('a'),
    record('b'),
  ];
}

/** What a difference is, in words. */
export function whatDiffers({ a, b }: Pick<Hunk, 'a' | 'b'>, noun: string): string {
  const [inA, inB] = [a[1] - a[0], b[1] - b[0]];
  if (inA === 0) return `${formatCounted(inB, noun)} only in B`;
  if (inB === 0) return `${formatCounted(inA, noun)} only in A`;
  return inA === inB ? `${formatCounted(inA, noun)} changed` : `${formatCount(inA)} in A, ${formatCount(inB)} in B`;
}

function threadOf({ a, b }: Pair, [first, second]: Hunk['tracks']): string {
  const [open, track] = first === null ? [b, second] : [a, first];
  return (track === null ? undefined : open.trace.tracks.peek().get(track)?.name) ?? '';
}

function place(pair: Pair, { tracks, a, b }: Hunk, noun: string): string {
  const same = a[0] === b[0];
  const at = same ? `${noun} ${formatCount(a[0])}` : `${noun} ${formatCount(a[0])} of A and ${formatCount(b[0])} of B`;
  return `${at} of ${threadOf(pair, tracks)}`;
}

/** A record as a line: what the list of records has of it, as far as that is compared. */
function textOf({ trace }: OpenTrace, row: RecordRow, fields: readonly string[]): string {
  const info = trace.info.peek();
  if (!info) return '';
  const context = { clock: info.clock, origin: ticks(0n), isCut: row.dropped > 0 };
  const { columns } = info;
  const isElsewhere = (name: string) => name === 'thread' || columns.some(({ key }) => key === name);
  const parts = columns.map(({ shows, key }) => {
    if (shows === 'name') return trace.names.inPlaceOf(row.name);
    if (shows === 'rest') {
      const rest = row.fields.filter(({ name }) => !isElsewhere(name));
      return rest.length > 0 ? fieldsLine(rest, context, LONGEST) : '';
    }
    const field = shows === 'field' && fields.includes(key) ? row.fields.find(({ name }) => name === key) : undefined;
    return field && field.value.t !== 'null' ? valueLine(field.value, context, LONGEST) : '';
  });
  return shortened(parts.filter(Boolean).join('  '), LONGEST);
}
