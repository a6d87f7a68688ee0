import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount } from '../../base/format.ts';
import type { Counters } from '../../base/protocol.ts';
import { ticks } from '../../base/ticks.ts';
import { SideMark } from '../../parts/side_mark.tsx';
import type { Pair } from '../../timeline/open_trace.ts';
import { formatReading, readingOf } from '../../trace/tracks.ts';
import { valueTrackOf } from '../../trace/value_tracks.ts';
import { type Overlay, type OverlayRows, overlay, overlayRows, pathOf } from './overlay.ts';
import type { ComparedVariable } from './protocol.ts';
import type { RecordDifferences } from './records.ts';
import { showPoints } from './values.ts';
import { wordsOf } from './work.ts';

interface Props {
  readonly pair: Pair;
  readonly records: Pick<RecordDifferences, 'state' | 'wanted'>;
  readonly variable: Pick<ComparedVariable, 'name' | 'type'>;
  readonly close: () => void;
}

/** Units of the drawing. */
const WIDTH = 1000;
const HEIGHT = 100;

/** The values of both, with the samples that these are about. */
interface Drawn {
  readonly rows: OverlayRows;
  readonly samples: readonly [Counters | null, Counters | null];
  readonly values: Overlay;
}

/** The values of a variable in both traces over each other, by points that belong together. A click leads there. */
export function OverlayChart({ pair, records, variable: { name, type }, close }: Props) {
  const state = records.state.value;
  useEffect(() => {
    records.wanted.value = true;
  }, [records]);
  const rows = useMemo(() => (state.at === 'done' ? overlayRows(state.threads, state.hunks) : null), [state]);
  const drawn = useSignal<Drawn | null>(null);
  const tracks = [pair.a, pair.b].map(({ trace }) => {
    const id = valueTrackOf(trace.tracks.value, { name, type });
    return id === undefined ? null : (trace.tracks.value.get(id) ?? null);
  });
  const [ofA, ofB] = tracks;
  const ids = tracks.map((track) => track?.id ?? -1).join();
  useEffect(() => {
    drawn.value = null;
    if (!rows) return undefined;
    let isOver = false;
    const ask = (side: 'a' | 'b', id: number | undefined, points: Int32Array) => {
      if (id === undefined) return null;
      const to = ticks(BigInt(points.reduce((most, at) => Math.max(most, at), 0) + 1));
      const [tracks, depths] = [Uint32Array.of(id), Int32Array.of(0, 1)];
      return pair[side].trace.samples({ from: ticks(0n), to, step: 1n, tracks, depths });
    };
    void Promise.all([ask('a', ofA?.id, rows.a), ask('b', ofB?.id, rows.b)]).then((samples) => {
      if (isOver) return;
      const isAddress = (ofA ?? ofB)?.values === 'address';
      drawn.value = { rows, samples, values: overlay(rows, samples, isAddress) };
    });
    return () => {
      isOver = true;
    };
  }, [rows, ids]);
  if (state.at !== 'done') return <p class="panel-note muted">{wordsOf(state)}</p>;
  if (!rows) return <p class="panel-note muted">There are too many points to lay values over each other.</p>;
  if (!drawn.value) return <p class="panel-note muted">Reading the values of {name}…</p>;
  const { values, samples } = drawn.value;
  const go = (row: number) => {
    const thread = state.threads[rows.thread[row] ?? 0];
    const place = (side: 0 | 1, point: number | undefined) => {
      const track = thread?.tracks[side] ?? null;
      return track === null || point === undefined || point < 0 ? null : { point, track };
    };
    void showPoints(pair, place(0, rows.a[row]), place(1, rows.b[row]));
  };
  const text = (side: 0 | 1, row: number) => {
    const index = values.at[side][row]!;
    const track = tracks[side];
    if (index < 0 || !track) return 'none';
    return formatReading(readingOf(samples[side]!.bits[3 * index + 2]!, track.values), track);
  };
  const { first } = values;
  const edge = (value: number) => (Number.isFinite(value) ? formatReading(value, { values: 'float' }) : '');
  return (
    <figure class="overlay-chart rigid">
      <figcaption class="row small">
        <b>{name || '(no name)'}</b>
        <SideMark side="a" /> <SideMark side="b" />
        {first < 0 ? (
          <span class="muted">The same at all points that both have</span>
        ) : (
          <button type="button" class="plain link" onClick={() => go(first)}>
            First differs at point {formatCount(rows.a[first]!)} of A and {formatCount(rows.b[first]!)} of B:{' '}
            {text(0, first)} and {text(1, first)}
          </button>
        )}
        <span class="panel-end muted">
          {edge(values.low)} … {edge(values.high)}
        </span>
        <button type="button" class="plain" aria-label="Close the drawing" onClick={close}>
          ×
        </button>
      </figcaption>
      <svg
        width="100%"
        preserveAspectRatio="none"
        viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`}
        role="img"
        aria-label={`Values of ${name} in A and in B, by points that belong together`}
        onPointerUp={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          const row = Math.floor(((event.clientX - left) / Math.max(1, width)) * rows.count);
          go(Math.min(rows.count - 1, Math.max(0, row)));
        }}
      >
        {first >= 0 && <path class="overlay-first" d={`M${((first + 0.5) / rows.count) * WIDTH} -4V${HEIGHT + 4}`} />}
        {samples[0] && <path class="overlay-a" d={pathOf(values, samples[0], 0, WIDTH, HEIGHT)} />}
        {samples[1] && <path class="overlay-b" d={pathOf(values, samples[1], 1, WIDTH, HEIGHT)} />}
      </svg>
    </figure>
  );
}
