import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatCount, formatCounted, formatPercent, shortened } from '../../base/format.ts';
import type { RecordRow } from '../../base/record_protocol.ts';
import { ticks } from '../../base/ticks.ts';
import { SideMark } from '../../parts/side_mark.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { alignmentOf } from '../../timeline/alignment.ts';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import { fieldsLine, valueLine } from '../../trace/values.ts';
import type { Hunk, RecordDifferences, RecordsState } from './records.ts';

/** Characters of a record in its cell. */
const LONGEST = 300;

interface Props {
  readonly differences: RecordDifferences;
  readonly pair: Pair;
}

/** The records of both that have no counterpart, thread by thread. A chosen difference stands below each other in both timelines. */
export function RecordsOfBoth({ differences, pair }: Props) {
  const { state: of, chosen, wanted } = differences;
  useEffect(() => {
    wanted.value = true;
  }, []);
  const state = of.value;
  /** The first records of differences that have been in sight. */
  const seen = useSignal<ReadonlyMap<number, Ends>>(new Map());
  const hunks = state.at === 'done' ? state.hunks : NONE;
  /** Those that were asked for. */
  const asked = useMemo(() => new Set<number>(), [hunks]);
  const newest = useRef(asked);
  newest.current = asked;
  const isOver = (of: Set<number>) => newest.current !== of;
  useEffect(() => {
    seen.value = new Map();
  }, [hunks]);
  const show = (number: number) => {
    chosen.value = number;
    const hunk = hunks[number];
    if (hunk) void differences.records(hunk).then((ends) => reveal(pair, ends, () => chosen.peek() === number));
  };
  const want = (first: number, end: number) => {
    const numbers = Array.from({ length: Math.min(end, hunks.length) - first }, (_, i) => first + i);
    const missing = numbers.filter((number) => !asked.has(number));
    for (const number of missing) asked.add(number);
    if (missing.length === 0) return;
    // Together: each arrival draws the table.
    void Promise.all(missing.map((number) => differences.records(hunks[number]!))).then((found) => {
      if (isOver(asked)) return;
      seen.value = new Map([...seen.peek(), ...missing.map((number, i) => [number, found[i]!] as const)]);
    });
  };
  if (state.at !== 'done') return <p class="panel-note muted">{wait(state)}</p>;
  const noun = pair.a.trace.info.value?.recordNoun ?? 'record';
  if (hunks.length === 0) {
    return <p class="panel-note muted">{`Each ${noun} of A is in B, and the other way round, in the same order.`}</p>;
  }
  const step = (by: 1 | -1) => {
    const next = chosen.peek() + by;
    if (hunks[next]) show(next);
  };
  return (
    <>
      <p class="difference-sentence" role="status">
        {`${formatCounted(hunks.length, 'difference')} in ${formatCounted(state.threads, 'thread')}. The first one is at ${place(pair, hunks[0]!, noun)}.`}
      </p>
      <Table
        label="Differences between records"
        id="record-difference"
        count={hunks.length}
        row={(number) => hunks[number] ?? null}
        columns={columnsOf(pair, noun, state.fields, seen.value)}
        current={chosen.value}
        follows
        choose={show}
        want={want}
        onKey={(event) => {
          if (event.key !== 'n' && event.key !== 'N') return false;
          step(event.shiftKey ? -1 : 1);
          return true;
        }}
      />
    </>
  );
}

const NONE: readonly Hunk[] = [];

/** The first record of a difference on either side; null where a thread has ended. */
type Ends = readonly [RecordRow | null, RecordRow | null];

/** Selects the records in both traces, and has them stand below each other. */
function reveal({ a, b, ...pair }: Pair, [first, second]: Ends, isNewest: () => boolean): void {
  if (!isNewest()) return;
  if (first && second) alignmentOf({ a, b, ...pair }).align({ a: first.x, b: second.x });
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
  seen: ReadonlyMap<number, Ends>,
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
      const row = seen.get(number)?.[side === 'a' ? 0 : 1];
      return row ? (
        <>
          <SideMark side={side} /> {textOf(pair[side], row, fields)}
        </>
      ) : (
        '…'
      );
    },
    look: (hunk, number) => {
      const row = hunk[side][0] < hunk[side][1] ? seen.get(number)?.[side === 'a' ? 0 : 1] : null;
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

function wait(state: RecordsState): string {
  switch (state.at) {
    case 'working':
      return `Comparing records… ${formatPercent(state.share, 1)}`;
    case 'failed':
      return state.sentence;
    default:
      return 'The traces are compared once both have been read.';
  }
}
