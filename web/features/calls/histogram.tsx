import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { CallList } from '../../base/calls_protocol.ts';
import { formatCounted, formatLength } from '../../base/format.ts';
import { binAt, edgeAt, type Histogram, histogramOf } from '../../base/histogram.ts';
import type { Clock } from '../../base/protocol.ts';
import { TooltipBox } from '../../parts/tooltip.tsx';
import type { FunctionCalls, Interval } from './call_list.ts';
import { binsWithin, intervalOf } from './histogram.ts';

/** Most bins. */
const BINS = 120;
/** CSS pixels of the bars. */
const HEIGHT = 44;
/** CSS pixels between labels of the axis, at least. */
const LABEL_EVERY = 110;
const WIDEST = 320;

interface Props {
  readonly list: FunctionCalls;
  readonly known: CallList;
  readonly clock: Clock;
}

/** How the durations of calls are distributed, on a logarithmic axis. A drag or the two sliders choose durations. */
export function DurationHistogram({ list, known, clock }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const size = useSignal({ width: 0, height: HEIGHT });
  /** The first and the current bin of a drag. */
  const drag = useSignal<readonly [number, number] | null>(null);
  const pointer = useSignal<{ x: number; y: number } | null>(null);
  const histogram = useComputed(() => histogramOf(list.list.value ?? known, BINS)).value;
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => {
      size.value = { width: element.clientWidth, height: HEIGHT };
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [size]);
  const { bins, most, edges } = histogram;
  const { width } = size.value;
  const chosen = drag.value ?? binsWithin(histogram, list.interval.value);
  const [from, to] = chosen[0] <= chosen[1] ? chosen : [chosen[1], chosen[0]];
  const choose = (first: number, last: number) => {
    list.interval.value = intervalOf(histogram, first, last);
  };
  const binUnder = (event: { clientX: number }) => {
    const rect = box.current!.getBoundingClientRect();
    return binAt(histogram, Math.max(0, Math.min(1, (event.clientX - rect.left) / rect.width)));
  };
  const length = (ticks: bigint) => formatLength(ticks, clock);
  const at = pointer.value;
  const over = at && width > 0 ? binAt(histogram, at.x / width) : -1;
  return (
    <div class="histogram rigid">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form. */}
      <div
        class="histogram-bars"
        role="group"
        aria-label="Durations"
        ref={box}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const bin = binUnder(event);
          const edge = event.target instanceof HTMLElement ? event.target.dataset['edge'] : undefined;
          // An edge is dragged with the other one in place.
          drag.value = [edge === 'shortest' ? to : edge === 'longest' ? from : bin, bin];
        }}
        onPointerMove={(event) => {
          const rect = event.currentTarget.getBoundingClientRect();
          pointer.value = { x: event.clientX - rect.left, y: event.clientY - rect.top };
          if (drag.value) drag.value = [drag.value[0], binUnder(event)];
        }}
        onPointerUp={() => {
          if (drag.value) choose(drag.value[0], drag.value[1]);
          drag.value = null;
        }}
        onPointerCancel={() => {
          drag.value = null;
        }}
        onPointerLeave={() => {
          pointer.value = null;
        }}
        onDblClick={() => {
          list.interval.value = null;
        }}
      >
        <svg width="100%" height={HEIGHT} preserveAspectRatio="none" viewBox={`0 0 1000 ${HEIGHT}`} aria-hidden="true">
          {Array.from(bins, (count, bin) => {
            const left = edgeAt(histogram, bin) * 1000;
            const right = edgeAt(histogram, bin + 1) * 1000;
            // A single call among millions is still to be seen.
            const height = count === 0 ? 0 : Math.max(2, (count / most) * (HEIGHT - 2));
            return (
              <rect
                key={bin}
                class={bin >= from && bin <= to ? 'in' : 'out'}
                x={left}
                y={HEIGHT - height}
                width={Math.max(0.5, right - left - 1)}
                height={height}
              />
            );
          })}
        </svg>
        {list.interval.value && (
          <span
            class="histogram-range"
            aria-hidden="true"
            style={{
              left: `${edgeAt(histogram, from) * 100}%`,
              width: `${(edgeAt(histogram, to + 1) - edgeAt(histogram, from)) * 100}%`,
            }}
          />
        )}
        <Thumb
          edge="shortest"
          label="Shortest duration"
          place={edgeAt(histogram, from)}
          value={from}
          bounds={[0, to]}
          text={length(edges[from]!)}
          move={(bin) => choose(bin, to)}
        />
        <Thumb
          edge="longest"
          label="Longest duration"
          place={edgeAt(histogram, to + 1)}
          value={to}
          bounds={[from, bins.length - 1]}
          text={length(edges[to + 1]! - 1n)}
          move={(bin) => choose(from, bin)}
        />
        {at && over >= 0 && !drag.value && (
          <TooltipBox at={at} area={size.value} widest={WIDEST}>
            <p>{span(edges[over]!, edges[over + 1]! - 1n, length)}</p>
            <p class="muted">{formatCounted(bins[over]!, 'call')}</p>
          </TooltipBox>
        )}
      </div>
      <div class="histogram-axis" aria-hidden="true">
        {labels(histogram, Math.floor(width / LABEL_EVERY)).map((edge) => (
          <span
            key={edge}
            class={edge === bins.length ? 'last' : ''}
            style={{ left: `${edgeAt(histogram, edge) * 100}%` }}
          >
            {length(edge === bins.length ? edges[edge]! - 1n : edges[edge]!)}
          </span>
        ))}
      </div>
      {list.interval.value && (
        <p class="histogram-chosen row small">
          Durations {span(list.interval.value.shortest, list.interval.value.longest, length)}
          <button
            type="button"
            class="plain icon"
            aria-label="Clear durations"
            onClick={() => {
              list.interval.value = null;
            }}
          >
            ×
          </button>
        </p>
      )}
    </div>
  );
}

interface ThumbProps {
  readonly edge: keyof Interval;
  readonly label: string;
  /** 0 to 1. */
  readonly place: number;
  /** Number of the bin, and the first and last that it can be. */
  readonly value: number;
  readonly bounds: readonly [number, number];
  readonly text: string;
  readonly move: (bin: number) => void;
}

/** An edge of the chosen durations, which the arrow keys move. */
function Thumb({ edge, label, place, value, bounds: [least, most], text, move }: ThumbProps) {
  return (
    <span
      class="histogram-thumb"
      data-edge={edge}
      role="slider"
      aria-label={label}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={value}
      aria-valuetext={text}
      tabIndex={0}
      style={{ left: `${place * 100}%` }}
      onKeyDown={(event) => {
        const to = {
          ArrowLeft: value - 1,
          ArrowDown: value - 1,
          ArrowRight: value + 1,
          ArrowUp: value + 1,
          PageDown: value - 10,
          PageUp: value + 10,
          Home: least,
          End: most,
        }[event.key];
        if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        move(Math.max(least, Math.min(most, to)));
      }}
    />
  );
}

/** Durations from one to another. */
function span(shortest: bigint, longest: bigint, length: (ticks: bigint) => string): string {
  const [from, to] = [length(shortest), length(longest)];
  return from === to ? from : `${from} – ${to}`;
}

/** The edges that have a label: about `count`, the first and the last among them. */
function labels(histogram: Histogram, count: number): number[] {
  const last = histogram.bins.length;
  const found: number[] = [];
  for (let k = 0; k < count; k += 1) {
    const bin = binAt(histogram, k / Math.max(1, count));
    if (found.at(-1) !== bin) found.push(bin);
  }
  // The last label has its place to the left of the edge.
  return [...found.filter((bin) => edgeAt(histogram, bin) < 1 - 1 / Math.max(1, count) / 2), last];
}
