import { useMemo } from 'preact/hooks';
import { formatPercent } from '../../../base/format.ts';
import type { LaidFlame } from '../../../model/flame.ts';
import { type Told, tracksOf } from '../../../model/statistics.ts';
import { countedSlices } from '../../../model/tracks.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { flameName } from '../../../render/flame.ts';
import type { PanelProps } from '../../dock/panel.ts';
import { Uncounted } from '../uncounted.tsx';
import { FlameCanvas } from './canvas.tsx';
import { createFlameState, type FlameState } from './state.ts';
import './flame.css';

/** Names on a long path: the root and the last ones; the bars show the rest. */
const MOST_CRUMBS = 5;

interface Props extends PanelProps {
  readonly open: OpenTrace;
}

/** Where time goes, by call path: the heaviest callees first. */
export function FlameGraph({ open, theme }: Props) {
  const { trace, statistics } = open;
  const state = useMemo(() => createFlameState(open), [open]);
  const info = trace.info.value;
  const told = statistics.flame.value;
  const laid = state.laid.value;
  if (!info) return null;
  if (!told || !laid) return <Uncounted open={open} />;
  const tracks = tracksOf(trace.tracks.value.values(), statistics.whose.value);
  const counted = countedSlices(told.slices, tracks, info);
  const said = told.exact ? counted : `Estimate from ${formatPercent(told.visited, told.slices)} of ${counted}`;
  const flat = tracks.length > 0 && tracks.every((track) => track.overlapping);
  return (
    <div class="flame">
      <div class="panel-bar">
        <Way open={open} state={state} laid={laid} />
        <span class="muted panel-end">
          {flat ? 'Overlapping lifetimes, not nested calls. ' : ''}
          {said}
        </span>
      </div>
      {laid.width === 0 ? (
        <p class="panel-note muted">{whyEmpty(told, laid)}</p>
      ) : (
        <FlameCanvas open={open} theme={theme} state={state} clock={info.clock} />
      )}
    </div>
  );
}

/** Why the graph is empty, in a sentence. */
function whyEmpty({ slices }: Told<unknown>, { flame }: LaidFlame): string {
  if (slices === 0) return 'No calls in this range.';
  return flame.total[0] === 0 ? 'The calls in this range have no duration.' : 'No call of this function in this range.';
}

/** The path from the root to the node in focus. A click on a caller focuses it. */
function Way({ open, state, laid }: { open: OpenTrace; state: FlameState; laid: LaidFlame }) {
  const { trace, statistics } = open;
  const { focus, node } = laid.flame;
  const names = Array.from({ length: focus + 1 }, (_, i) => flameName(laid, i, trace.names, state.rootName.value));
  const shown = [...names.keys()].filter((i) => i === 0 || i > focus - MOST_CRUMBS + 1);
  return (
    <nav class="way" aria-label="Callers of what is in focus">
      {shown.map((i, k) => (
        <span key={i}>
          {i > 0 && (
            <span class="muted" aria-hidden="true">
              {i - shown[k - 1]! > 1 ? ' › … › ' : ' › '}
            </span>
          )}
          {i === focus ? (
            <b aria-current="true">{names[i]}</b>
          ) : (
            <button
              type="button"
              class="plain crumb"
              onClick={() => {
                statistics.focus.value = node[i]!;
              }}
            >
              {names[i]}
            </button>
          )}
        </span>
      ))}
    </nav>
  );
}
