import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatCount, formatPercent } from '../../../base/format.ts';
import type { Clock } from '../../../base/protocol.ts';
import type { PanelProps } from '../../../page/page.ts';
import type { LaidFlame } from '../../../timeline/flame.ts';
import { noneOf } from '../../../timeline/none.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { FlameGraphs, FlameModeChoice } from '../../../timeline/widgets/flame_graphs.tsx';
import { Chips, CollapseSwitch, PathFilter } from '../../../timeline/widgets/path_changes.tsx';
import { FLAME_MODES } from '../../../trace/call_paths.ts';
import { NANOSECONDS } from '../../../trace/call_times.ts';
import { type Flames, type Told, tracksOf } from '../../../trace/statistics.ts';
import { countedSlices } from '../../../trace/tracks.ts';
import { FunctionActions } from '../bar.tsx';
import type { Calls } from '../calls.ts';
import { Uncounted } from '../uncounted.tsx';
import { sourceOf, stateOf } from './source.ts';
import { TimeOrderView } from './time.tsx';
import { WeightChoice } from './weight.tsx';
import './flame.css';

interface Props extends PanelProps {
  readonly open: OpenTrace;
  readonly calls: Calls;
  /** What the bar begins with. */
  readonly lead: ComponentChildren;
  readonly sandwich: (name: number) => void;
}

/** Where time goes, by call path. */
export function FlameGraph({ open, theme, calls, lead, sandwich }: Props) {
  const { trace, statistics } = open;
  /** Name id that the cursor has reached, or -1. */
  const reached = useSignal(-1);
  const info = trace.info.value;
  const told = statistics.flame.value;
  const mode = calls.mode.value;
  if (!info) return null;
  const timed = mode === 'time';
  const path = calls.path.value;
  const target = reached.value >= 0 ? reached.value : (path.at(-1) ?? statistics.highlighted.value);
  const tracks = tracksOf(trace.tracks.value.values(), statistics.whose.value);
  const flat = tracks.length > 0 && tracks.every((track) => track.overlapping);
  // Paths outlive an answer, so the graph can be used meanwhile. It must not pass for the new answer.
  const isOld = calls.weighing.value || told?.wanted.key !== statistics.shown.value?.key;
  return (
    <div class="flame panel-body">
      <div class="panel-bar">
        {lead}
        <FlameModeChoice
          paths={calls}
          modes={FLAME_MODES}
          choose={(next) => {
            reached.value = -1;
            calls.mode.value = next;
            // The function that stands out is the one that the user is looking at.
            const { highlighted } = statistics;
            if (next === 'sandwich' && calls.path.peek().length === 0 && highlighted.peek() >= 0) {
              calls.sandwich(highlighted.peek());
            }
          }}
        />
        {!timed && <WeightChoice open={open} calls={calls} />}
        <CollapseSwitch paths={calls} />
        <PathFilter paths={calls} />
        <FunctionActions open={open} calls={calls} name={target} sandwich={sandwich} changes />
        {told && !timed && (
          <span class="muted panel-end">
            {flat ? 'Overlapping lifetimes, not nested calls. ' : ''}
            {amount(told, countedSlices(told.slices, tracks, info))}
          </span>
        )}
      </div>
      <Chips paths={calls} names={trace.names} />
      {timed ? (
        <TimeOrderView
          open={open}
          theme={theme}
          calls={calls}
          clock={info.clock}
          reach={(name) => (reached.value = name)}
        />
      ) : mode === 'sandwich' && path.length === 0 ? (
        <p class="panel-note muted">
          Choose a function in Functions or Tree to see its callers above and its callees below.
        </p>
      ) : !told ? (
        <Uncounted open={open} />
      ) : (
        <Graphs
          key={mode}
          open={open}
          theme={theme}
          calls={calls}
          told={told}
          // What is shown may still be the answer to the question before.
          clock={told.wanted.weighed ? NANOSECONDS : info.clock}
          isOld={isOld}
          sandwich={sandwich}
          reach={(name) => (reached.value = name)}
        />
      )}
    </div>
  );
}

function amount({ exact, slices, visited, unmeasured }: Told<unknown>, all: string): string {
  if (unmeasured !== null && unmeasured > 0) return `${all}, ${formatCount(unmeasured)} not measured`;
  return exact ? all : `Estimate from ${formatPercent(visited, slices)} of ${all}`;
}

interface GraphsProps extends PanelProps {
  readonly open: OpenTrace;
  readonly calls: Calls;
  readonly told: Told<Flames>;
  readonly clock: Clock;
  /** The answer to an earlier question. */
  readonly isOld: boolean;
  readonly sandwich: (name: number) => void;
  readonly reach: (name: number) => void;
}

function Graphs({ open, theme, calls, told, clock, isOld, sandwich, reach }: GraphsProps) {
  const { trace } = open;
  const mode = calls.mode.value;
  // Of a sandwich, the function is drawn once: above its callees.
  const state = useMemo(() => stateOf(open, 'flame', mode === 'sandwich' ? 1 : 0), [open, mode]);
  const above = useMemo(() => stateOf(open, 'callers', 1), [open]);
  const laid = state.laid.value;
  const asked = told.wanted.flame?.mode;
  // A reply to the question before is not what this mode shows.
  const isOther = asked !== ({ heavy: 'down', inverted: 'up', sandwich: 'sandwich', time: undefined } as const)[mode];
  if (!laid || isOther) return <div class="flame-scroller grow" aria-busy="true" />;
  if (laid.width === 0) return <p class="panel-note muted">{whyEmpty(open, told, laid, calls)}</p>;
  return (
    <FlameGraphs
      mode={mode}
      state={state}
      above={above}
      sourceOf={(of, shows) => sourceOf(open, of, clock, shows)}
      about={clock}
      title="Flame graph"
      names={trace.names}
      theme={theme}
      isOld={isOld}
      paths={calls}
      sandwich={sandwich}
      reach={reach}
    />
  );
}

/** Why the graph is empty, in a sentence. */
function whyEmpty(open: OpenTrace, { slices, unmeasured }: Told<unknown>, { flame }: LaidFlame, calls: Calls): string {
  if (slices === 0) return noneOf(open, 'call');
  if (calls.changes.value.length > 0) return 'No call path is left after these changes.';
  if (unmeasured !== null && flame.total[0] === 0) return 'No call in this range was measured.';
  return flame.total[0] === 0 ? 'The calls in this range have no duration.' : 'No call of this function in this range.';
}
