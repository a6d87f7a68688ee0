import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatCount, formatCounted } from '../../base/format.ts';
import { differencesOf } from '../../page/differences.ts';
import { widthOfText } from '../../parts/columns.ts';
import { Segments } from '../../parts/segments.tsx';
import { SideMark } from '../../parts/side_mark.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import type { Pair } from '../../timeline/open_trace.ts';
import { isDatabase } from '../../trace/records.ts';
import { canWalk } from '../../trace/stepping.ts';
import { whatDiffers } from './hunk_words.ts';
import { type Ignorable, IgnoreButton } from './ignore_button.tsx';
import { isNumbered, nounOf, numberSays, numberWidth, textOf, threadOf } from './record_text.ts';
import type { Ends, FirstDifference, Hunk, HunkOrder, RecordDifferences, Thread } from './records.ts';
import { positionOf, reveal, showDifference } from './shown.ts';
import { SideBySide } from './side_by_side.tsx';
import { haveValues } from './values.ts';
import type { Why } from './why.ts';
import { WhyTheyPart } from './why_panel.tsx';
import { wordsOf } from './work.ts';

interface Props {
  readonly differences: RecordDifferences;
  readonly pair: Pair;
  readonly why: Why;
}

const LAYOUTS = [
  ['list', 'List'],
  ['beside', 'Side by side'],
] as const;
const WHY = ['why', 'Why?'] as const;
type Layout = (typeof LAYOUTS)[number][0] | (typeof WHY)[0];

const ORDERS: readonly (readonly [HunkOrder, string])[] = [
  ['position', 'In order'],
  ['size', 'Largest first'],
];

/** The records of both that have no counterpart, as a list, or among the others. A chosen difference stands below each other in both timelines. */
export function RecordsOfBoth({ differences, why, pair }: Props) {
  const { state: of, first, chosen, order, ordered, wanted, ends } = differences;
  const layout = useSignal<Layout>('list');
  useEffect(() => {
    wanted.value = true;
  }, []);
  const state = of.value;
  const noun = nounOf(pair.a.trace.info.value);
  const { ignored } = differencesOf(pair);
  const isDone = state.at === 'done';
  const hunks = isDone ? state.hunks : [];
  const { threads, fields } = isDone ? state : { threads: [], fields: [] };
  const numbers = ordered.value;
  const show = (number: number) => showDifference(differences, pair, number);
  const open = (place: number) => {
    show(numbers[place]!);
    layout.value = 'beside';
  };
  const hunk = hunks[chosen.value] ?? hunks[0];
  const thread = hunk && threads.find(({ tracks }) => tracks === hunk.tracks);
  const isWhy = hunk !== undefined && layout.value === 'why';
  return (
    <>
      <div class="row wrap difference-bar">
        {hunk && (
          <Segments
            label="Layout"
            options={hasWhy(pair) ? [...LAYOUTS, WHY] : LAYOUTS}
            value={layout.value}
            choose={(next) => {
              layout.value = next;
            }}
          />
        )}
        {hunk && !isWhy && (
          <>
            <select
              aria-label="Order of differences"
              value={order.value}
              onChange={(event) => {
                order.value = event.currentTarget.value as HunkOrder;
              }}
            >
              {ORDERS.map(([value, title]) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
            </select>
            <Steps differences={differences} show={show} />
          </>
        )}
        {!isWhy && (
          // It stays while records are compared again.
          <IgnoreButton
            key="ignore"
            rules={ignored}
            offered={ignorableIn(pair)}
            leftOut={isDone ? state.leftOut : null}
            noun={noun}
          />
        )}
        {hunk && !isWhy && (
          <p class="difference-sentence grow" role="status">
            {hunks[chosen.value] && layout.value === 'beside' ? (
              <Sentence {...{ differences, pair, hunk, noun }} />
            ) : (
              <Summary {...{ differences, pair, noun }} />
            )}
          </p>
        )}
      </div>
      {isWhy && (hasValues(pair) ? <WhyTheyPart {...{ why, pair, fields }} /> : <NoWhy />)}
      {!hunk ? (
        <p class="panel-note muted">
          {isDone ? `Each ${noun} of A is in B, and the other way round, in the same order.` : wordsOf(state)}
          {state.at === 'working' && first.value && <> {firstInWords(pair, first.value, noun)}</>}
        </p>
      ) : isWhy ? null : layout.value === 'beside' && thread ? (
        <SideBySide {...{ differences, pair, thread, hunks, noun, fields }} />
      ) : (
        <Table
          label="Differences between records"
          id="record-difference"
          count={hunks.length}
          row={(at) => hunks[numbers[at]!] ?? null}
          columns={columnsOf(pair, hunks, noun, fields, (at) => ends.value.get(numbers[at]!))}
          narrowedBy={[order.value, ignored.value]}
          current={numbers.indexOf(chosen.value)}
          follows={chosen.value}
          choose={(at) => show(numbers[at]!)}
          act={open}
          double={open}
          want={differences.want}
        />
      )}
    </>
  );
}

/** What rules may name: instructions have neither names nor arguments, and points no more than their statements. */
function ignorableIn(pair: Pair): readonly Ignorable[] {
  if (haveValues(pair.a)) return ['functions', 'threads'];
  if (canWalk(pair.a.trace.info.value)) return ['addresses', 'threads'];
  return ['addresses', 'times', 'functions', 'arguments', 'threads'];
}

/** Whether steps say what they read and wrote. */
function hasWhy({ a }: Pair): boolean {
  const info = a.trace.info.value;
  return info !== null && canWalk(info);
}

/** Whether steps say what they read and wrote. */
function hasValues({ a }: Pair): boolean {
  const info = a.trace.info.value;
  return info !== null && !isDatabase(info);
}

/** Why it cannot be said why paths part, and what can be done. */
export function NoWhy() {
  return (
    <p class="panel-note">
      These traces say which blocks ran, and not what their instructions read and wrote, so no value can be followed
      back. Side by side, the last block that both have before a difference ends with the jump that decided; what it
      tests is in its instructions, in Details. A recording as BAP frames of the same program says what each step read.
    </p>
  );
}

/** Goes to the previous and the next difference. */
function Steps({ differences, show }: { differences: RecordDifferences; show: (number: number) => void }) {
  const { chosen, ordered } = differences;
  const at = ordered.value.indexOf(chosen.value);
  const steps = [
    { by: -1, sign: '↑', title: 'Previous difference (Shift+N)' },
    { by: 1, sign: '↓', title: 'Next difference (N)' },
  ] as const;
  return (
    <div class="row rigid difference-steps">
      {steps.map(({ by, sign, title }) => (
        <button
          key={by}
          type="button"
          class="plain"
          title={title}
          aria-label={title}
          disabled={at + by < 0 ? at >= 0 : at + by >= ordered.value.length}
          onClick={() => show(differences.beside(by))}
        >
          {sign}
        </button>
      ))}
      {at >= 0 && <span class="muted">{`${formatCount(at + 1)} of ${formatCount(ordered.value.length)}`}</span>}
    </div>
  );
}

/** How many differences there are, where the first one is, and of executions what only one of them has executed. */
function Summary({ differences, pair, noun }: Omit<Props, 'why'> & { readonly noun: string }) {
  const state = differences.state.value;
  if (state.at !== 'done') return null;
  const { hunks, threads, alone } = state;
  const [first] = hunks;
  const thread = threads.find(({ tracks }) => tracks === first?.tracks);
  if (!first || !thread) return null;
  const differing = threads.filter((it) => it.end > it.first).length;
  const isSteps = canWalk(pair.a.trace.info.value);
  const at = `${numbersOf(pair, thread, first.a[0], first.b[0], noun)} of ${threadOf(pair, first.tracks)}`;
  return (
    <>
      {`${formatCounted(hunks.length, 'difference')} in ${formatCounted(differing, 'thread')}. `}
      {isSteps ? `The paths part at ${at}` : `The first one is at ${at}.`}
      {isSteps && (
        <Joins
          {...{ differences, pair, thread, hunk: first, noun }}
          words={[', and join again at ', '.', ' and do not join again.']}
        />
      )}
      {alone && alone[0] + alone[1] > 0 && (
        <>
          {' '}
          <span
            class="difference-alone"
            title="Underlined in this colour on both timelines, whether or not a difference is there"
          >
            {aloneInWords(alone)}
          </span>
        </>
      )}
    </>
  );
}

/** Where traces differ first, while all is compared. */
function firstInWords(pair: Pair, first: FirstDifference, noun: string): string {
  return `The first difference is at ${numbersOf(pair, first, ...first.numbers, noun)} of ${threadOf(pair, first.tracks)}.`;
}

/** What only one side has executed, in words. */
function aloneInWords([a, b]: readonly [number, number]): string {
  if (a === 0) return `Only B executed ${formatCounted(b, 'instruction')}, and A none of its own.`;
  if (b === 0) return `Only A executed ${formatCounted(a, 'instruction')}, and B none of its own.`;
  return `Only A executed ${formatCounted(a, 'instruction')}, only B ${formatCount(b)}.`;
}

interface JoinsProps extends Omit<Props, 'why'> {
  readonly thread: Thread;
  readonly hunk: Hunk;
  readonly noun: string;
  /** What comes before the place and after it, or without one. */
  readonly words: readonly [before: string, after: string, never: string];
}

/** Where steps are the same again after a difference. */
function Joins({ differences, pair, thread, hunk: { tracks, a, b }, noun, words: [before, after, never] }: JoinsProps) {
  if (a[1] >= thread.lengths[0] || b[1] >= thread.lengths[1]) return <>{never}</>;
  return (
    <>
      {before}
      <button
        type="button"
        class="plain link"
        onClick={() => {
          void differences.records({ tracks, a: [a[1], a[1]], b: [b[1], b[1]] }).then((ends) => reveal(pair, ends));
        }}
      >
        {numbersOf(pair, thread, a[1], b[1], noun)}
      </button>
      {after}
    </>
  );
}

/** What the chosen difference is, and where steps are the same again. */
function Sentence({
  differences,
  pair,
  hunk,
  noun,
}: Omit<Props, 'why'> & { readonly hunk: Hunk; readonly noun: string }) {
  const state = differences.state.value;
  const thread = state.at === 'done' ? state.threads.find((it) => it.tracks === hunk.tracks) : null;
  const isSteps = canWalk(pair.a.trace.info.value);
  return (
    <>
      {`${whatDiffers(hunk, noun)}, ${threadOf(pair, hunk.tracks)}.`}
      {isSteps && thread && (
        <Joins
          {...{ differences, pair, thread, hunk, noun }}
          words={[' The paths join again at ', '.', ' The paths do not join again.']}
        />
      )}
    </>
  );
}

/** Differences whose threads make the width of their column. */
const MEASURED = 100;

function columnsOf(
  pair: Pair,
  hunks: readonly Hunk[],
  noun: string,
  fields: readonly string[],
  endsOf: (at: number) => Ends | undefined,
): readonly Column<Hunk>[] {
  const threads = new Set(hunks.slice(0, MEASURED).map(({ tracks }) => threadOf(pair, tracks)));
  // Calls, which say most, get what the others leave.
  const ofThreads = Math.min(160, Math.max(widthOfText('Thread'), ...[...threads].map(widthOfText)));
  const numbers = (side: 'a' | 'b'): Column<Hunk> => ({
    id: `at-${side}`,
    title: `At ${side.toUpperCase()}`,
    says: numberSays(pair, noun, side),
    width: numberWidth(pair[side]),
    cell: (hunk, at) => {
      const row = isNumbered(pair) ? endsOf(at)?.[side === 'a' ? 0 : 1] : null;
      return formatCount(row ? row.x : hunk[side][0]);
    },
  });
  const record = (side: 'a' | 'b'): Column<Hunk> => ({
    id: `record-${side}`,
    title: `First ${noun} ${side.toUpperCase()}`,
    says: `The first ${noun} of ${side.toUpperCase()} that has no counterpart`,
    class: 'words mono',
    cell: (hunk, at) => {
      const [from, to] = hunk[side];
      if (from === to) return <span class="muted">–</span>;
      const row = endsOf(at)?.[side === 'a' ? 0 : 1];
      return row ? (
        <>
          <SideMark side={side} /> {textOf(pair[side], row, fields)}
        </>
      ) : (
        '…'
      );
    },
    look: (hunk, at) => {
      const row = hunk[side][0] < hunk[side][1] ? endsOf(at)?.[side === 'a' ? 0 : 1] : null;
      return { title: row ? textOf(pair[side], row, fields) : undefined };
    },
  });
  return [
    {
      title: 'Thread',
      class: 'words',
      width: `${ofThreads}px`,
      cell: ({ tracks }) => threadOf(pair, tracks),
    },
    numbers('a'),
    numbers('b'),
    {
      title: 'What differs',
      class: 'words',
      width: '200px',
      cell: (hunk) => whatDiffers(hunk, noun),
      look: (hunk) => ({ title: whatDiffers(hunk, noun) }),
    },
    record('a'),
    record('b'),
  ];
}

/** A record of each side by its number: in the trace, where that is what it is known by, or else in the thread. */
function numbersOf(
  pair: Pair,
  thread: Pick<Thread, 'positions'> | undefined,
  a: number,
  b: number,
  noun: string,
): string {
  const of = (side: 0 | 1, number: number) => {
    const positions = isNumbered(pair) ? thread?.positions[side] : null;
    return formatCount(positions ? positionOf(positions, number) : number);
  };
  const [first, second] = [of(0, a), of(1, b)];
  return first === second ? `${noun} ${first}` : `${noun} ${first} of A and ${second} of B`;
}
