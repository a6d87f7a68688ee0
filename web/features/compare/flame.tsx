import { computed, useComputed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type Clock, NO_NAME } from '../../base/protocol.ts';
import type { PanelProps } from '../../page/page.ts';
import { flamePath, layOutFlame } from '../../timeline/flame.ts';
import { FlameCanvas } from '../../timeline/widgets/flame_canvas.tsx';
import { createFlameState } from '../../timeline/widgets/flame_state.ts';
import type { Compared, Comparison } from './comparison.ts';
import { factorText } from './figures.ts';
import { type ColouredBy, createPathNames, differenceSource, SCALE } from './flame_source.ts';
import type { FlameWidth } from './protocol.ts';

interface Props extends PanelProps {
  readonly comparison: Comparison;
  readonly compared: Compared;
  readonly clock: Clock;
}

const WIDTHS: readonly (readonly [FlameWidth, string])[] = [
  ['larger', 'Width: the larger'],
  ['a', 'Width: A'],
  ['b', 'Width: B'],
];
const COLOURS: readonly (readonly [ColouredBy, string])[] = [
  ['self', 'Colour: self'],
  ['total', 'Colour: total'],
];
/** Shares of the whole below which a difference is grey. */
const THRESHOLDS = [0, 0.001, 0.01, 0.05];
const LABEL =
  'Flame graph of the difference. Arrows go to callers, callees and neighbours, Enter zooms in, Escape zooms out.';

/** One tree of the call paths of both traces, coloured by what changed. */
export function DifferenceFlame({ comparison, compared, clock, theme }: Props) {
  const { choice, flame, holds, filter, nameOf } = comparison;
  const by = useSignal<ColouredBy>('self');
  const threshold = useSignal(0.001);
  const { state, source, paths } = useMemo(() => {
    const paths = createPathNames(nameOf);
    const laid = computed(() => {
      const now = flame.value;
      if (!now) return null;
      const factor = choice.value.normalised ? now.factor : 1;
      return layOutFlame(paths.named(now, { by: by.value, threshold: threshold.value, factor }));
    });
    const hits = computed((): ReadonlySet<number> => {
      const names = laid.value?.flame.name ?? [];
      if (filter.value.trim() === '') return new Set();
      return new Set([...names].filter((id) => id !== NO_NAME && holds.value(paths.rowOf(id))));
    });
    const rootName = computed(() => 'All calls of both');
    const state = createFlameState(laid, rootName);
    return { paths, state, source: differenceSource(paths, flame, hits, clock) };
  }, [compared]);
  const now = flame.value;
  const { normalised, path } = choice.value;
  const empty = useComputed(() => state.laid.value?.width === 0);
  const focus = (rows: readonly number[]) => {
    choice.value = { ...choice.peek(), path: rows };
  };
  return (
    <>
      <div class="panel-bar">
        <select
          aria-label="Width"
          title="What the width of a function is"
          value={choice.value.width}
          onChange={(event) => {
            choice.value = { ...choice.peek(), width: event.currentTarget.value as FlameWidth };
          }}
        >
          {WIDTHS.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
        <select
          aria-label="Colour"
          title="Which difference colours are of"
          value={by.value}
          onChange={(event) => {
            by.value = event.currentTarget.value as ColouredBy;
          }}
        >
          {COLOURS.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
        <select
          aria-label="Threshold"
          title="Smaller differences are grey"
          value={String(threshold.value)}
          onChange={(event) => {
            threshold.value = Number(event.currentTarget.value);
          }}
        >
          {THRESHOLDS.map((share) => (
            <option key={share} value={String(share)}>
              {share === 0 ? 'All differences' : `From ${share * 100} % of all`}
            </option>
          ))}
        </select>
        <button
          type="button"
          class="toggle"
          aria-pressed={normalised}
          title="Scale the times of B, so that both are equally long"
          onClick={() => {
            choice.value = { ...choice.peek(), normalised: !normalised };
          }}
        >
          Normalise
        </button>
        {normalised && now && <span>B {factorText(now.factor)}</span>}
        {path.length > 0 && (
          <button type="button" class="plain link" onClick={() => focus(path.slice(0, -1))}>
            Zoom out
          </button>
        )}
        <Legend />
      </div>
      {now && empty.value ? (
        <p class="panel-note muted">Neither trace has calls with a duration here.</p>
      ) : (
        <FlameCanvas
          of={source}
          theme={theme}
          state={state}
          isOld={!now}
          label={LABEL}
          act="Zoom in"
          focus={(laid, index) => focus(paths.rowsOf(flamePath(laid.flame, index)))}
          back={() => {
            if (choice.peek().path.length === 0) return false;
            focus(choice.peek().path.slice(0, -1));
            return true;
          }}
          reach={() => undefined}
        />
      )}
    </>
  );
}

/** What the colours mean. */
function Legend() {
  return (
    <span class="muted panel-end">
      gone, less{' '}
      <span class="difference-scale" aria-hidden="true">
        {SCALE.map((colour) => (
          <span key={colour} style={{ background: colour }} />
        ))}
      </span>{' '}
      more, new
    </span>
  );
}
