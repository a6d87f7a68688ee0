import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatCounted, formatLength, formatShare, shortened } from '../../base/format.ts';
import { edgeAt, type Histogram, histogramsOf } from '../../base/histogram.ts';
import type { Clock } from '../../base/protocol.ts';
import { MAX_TICKS } from '../../base/ticks.ts';
import { SideMark } from '../../parts/side_mark.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { type Compared, type Comparison, nameIn } from './comparison.ts';
import { changeText, factorText, openFigureOf, scaleOf } from './figures.ts';
import { type Known, SlowCallOfBoth } from './slow_call.tsx';

/** Most bins, and the height of a whole bar. */
const BINS = 100;
const HEIGHT = 100;
/** Slots of jobs, apart from those of other panels. */
const SLOT = 'compare';

interface Props {
  readonly comparison: Comparison;
  readonly compared: Compared;
  readonly a: OpenTrace;
  readonly b: OpenTrace;
  readonly clock: Clock;
}

const UNKNOWN: Known = { list: null, percentiles: null };
const NO_BUCKETS = { low: new Float64Array(), above: new Float64Array(), count: new Float64Array() };

/** The durations of the calls of the chosen function, in both: over each other in the same bins, and their quantiles. */
export function CallsOfBoth({ comparison, compared, a, b, clock }: Props) {
  const row = comparison.chosen.value;
  const [nameA, nameB] = [nameOf(compared, 'a', row), nameOf(compared, 'b', row)];
  const [knownA, knownB] = [useCalls(a, nameA), useCalls(b, nameB)];
  if (row < 0) {
    return <p class="panel-note muted">Choose a function in Functions to compare the durations of its calls.</p>;
  }
  if (comparison.callsShow.value === 'slow') {
    return nameA >= 0 && nameB >= 0 ? (
      <SlowCallOfBoth key={row} a={a} b={b} names={[nameA, nameB]} known={[knownA, knownB]} clock={clock} />
    ) : (
      <p class="panel-note muted">{`Only ${nameA >= 0 ? 'A' : 'B'} calls ${shortened(nameIn(compared, row))}.`}</p>
    );
  }
  const [ofA, ofB] = [knownA.value, knownB.value];
  const [first, second] = histogramsOf(ofA.list ?? NO_BUCKETS, ofB.list ?? NO_BUCKETS, BINS);
  const name = nameIn(compared, row);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls takes the keys that scroll.
    <section class="difference-calls grow thin-scroll" aria-label={`Calls of ${shortened(name)}`} tabIndex={0}>
      <p class="mono ellipsis">
        <b>{name}</b>
      </p>
      <div class="difference-legend row small">
        <span>
          <SideMark side="a" /> {formatCounted(ofA.list?.all ?? 0, 'call')}
        </span>
        <span>
          <SideMark side="b" /> {formatCounted(ofB.list?.all ?? 0, 'call')}
        </span>
        <span class="muted">Durations on a logarithmic axis; heights are shares of the calls of each side</span>
      </div>
      <Bars a={first} b={second} clock={clock} />
      <Quantiles compared={compared} row={row} a={ofA} b={ofB} scale={scaleOf(a, b)} clock={clock} />
    </section>
  );
}

function nameOf({ rows, ...sides }: Compared, side: 'a' | 'b', row: number): number {
  return sides[side].functions.name[rows[side][row] ?? -1] ?? -1;
}

/** Finds the calls of a function, by its name id; -1 for none. */
function useCalls({ trace, statistics }: OpenTrace, name: number): ReadonlySignal<Known> {
  const known = useSignal<Known>(UNKNOWN);
  const asked = statistics.asked();
  const { from, to } = asked;
  useEffect(() => {
    known.value = UNKNOWN;
    if (name < 0) return undefined;
    const about = { ...asked, name };
    const list = { path: new Uint32Array(), shortest: 0n, longest: MAX_TICKS, first: 0, rows: 0, of: null };
    const ends = [
      trace.begin(
        { kind: 'calls', ...about, ...list, order: 'start' },
        (reply) => {
          if (reply.t === 'job-part' && reply.last) known.value = { ...known.peek(), list: reply.part };
        },
        `${SLOT} calls`,
      ),
      trace.begin(
        { kind: 'percentiles', ...about },
        (reply) => {
          if (reply.t === 'job-part' && reply.last) known.value = { ...known.peek(), percentiles: reply.part };
        },
        `${SLOT} percentiles`,
      ),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [trace, name, from, to]);
  return known;
}

/** Both distributions: filled for A, outlined for B, so that they differ without colours, too. */
function Bars({ a, b, clock }: { readonly a: Histogram; readonly b: Histogram; readonly clock: Clock }) {
  const { edges } = a;
  if (edges.length === 0) return null;
  const sum = ({ bins }: Histogram) => bins.reduce((all, count) => all + count, 0);
  const shares = [a, b].map((of) => of.bins.map((count) => count / Math.max(1, sum(of))));
  const most = Math.max(...shares.flatMap((of) => [...of]), 1e-9);
  const length = (ticks: bigint) => formatLength(ticks, clock);
  const bar = (side: 0 | 1, bin: number) => {
    const left = edgeAt(a, bin) * 1000;
    const share = shares[side]![bin]!;
    const height = share === 0 ? 0 : Math.max(2, (share / most) * (HEIGHT - 2));
    return (
      <rect
        key={bin}
        x={left}
        y={HEIGHT - height}
        width={Math.max(0.5, edgeAt(a, bin + 1) * 1000 - left - 1)}
        height={height}
      >
        <title>
          {`${length(edges[bin]!)} – ${length(edges[bin + 1]! - 1n)}: A ${formatShare(shares[0]![bin]!, 1)}, B ${formatShare(shares[1]![bin]!, 1)}`}
        </title>
      </rect>
    );
  };
  const all = Array.from(a.bins.keys());
  return (
    <figure class="difference-bars">
      <svg
        width="100%"
        height={HEIGHT}
        preserveAspectRatio="none"
        viewBox={`0 0 1000 ${HEIGHT}`}
        role="img"
        aria-label="Durations in A and in B; the table below has their quantiles"
      >
        <g class="side-a">{all.map((bin) => bar(0, bin))}</g>
        <g class="side-b">{all.map((bin) => bar(1, bin))}</g>
      </svg>
      <figcaption class="row small muted">
        <span>{length(edges[0]!)}</span>
        <span class="panel-end">{length(edges.at(-1)! - 1n)}</span>
      </figcaption>
    </figure>
  );
}

interface QuantilesProps extends Pick<Props, 'compared' | 'clock'> {
  readonly row: number;
  readonly a: Known;
  readonly b: Known;
  /** What times of B are multiplied by, so that they are ticks of A. */
  readonly scale: number;
}

/** Durations of both with difference and factor. */
function Quantiles({ compared, row, a, b, scale, clock }: QuantilesProps) {
  const extreme = (side: 'a' | 'b', of: 'min' | 'max') => openFigureOf(compared, side, of, row, scale);
  const percentile = ({ percentiles }: Known, of: 'median' | 'p90' | 'p99', factor = 1) =>
    percentiles ? Number(percentiles[of]) * factor : null;
  const lines: readonly (readonly [string, number | null, number | null])[] = [
    ['Shortest', extreme('a', 'min'), extreme('b', 'min')],
    ['Median', percentile(a, 'median'), percentile(b, 'median', scale)],
    ['p90', percentile(a, 'p90'), percentile(b, 'p90', scale)],
    ['p99', percentile(a, 'p99'), percentile(b, 'p99', scale)],
    ['Longest', extreme('a', 'max'), extreme('b', 'max')],
  ];
  const length = (ticks: number | null) => (ticks === null ? '' : formatLength(BigInt(Math.round(ticks)), clock));
  return (
    <table class="difference-quantiles">
      <thead>
        <tr>
          <th>Duration</th>
          <th>A</th>
          <th>B</th>
          <th>Difference</th>
          <th>Factor</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(([title, of, to]) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            <td>{length(of)}</td>
            <td>{length(to)}</td>
            <td>{of !== null && to !== null ? changeText(to - of, clock) : ''}</td>
            <td>{of !== null && to !== null && of > 0 ? factorText(to / of) : ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
