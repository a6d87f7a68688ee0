import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatCount, formatPercent } from '../../../base/format.ts';
import type { Clock } from '../../../base/protocol.ts';
import type { PanelProps } from '../../../page/page.ts';
import { flamePath, type LaidFlame } from '../../../timeline/flame.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { flameName } from '../../../timeline/render/flame.ts';
import { FlameCanvas } from '../../../timeline/widgets/flame_canvas.tsx';
import type { FlameState } from '../../../timeline/widgets/flame_state.ts';
import type { FlameMode } from '../../../trace/call_paths.ts';
import { NANOSECONDS } from '../../../trace/call_times.ts';
import { type Flames, type Told, tracksOf } from '../../../trace/statistics.ts';
import { countedSlices } from '../../../trace/tracks.ts';
import { Chips, CollapseSwitch, FunctionActions, PathFilter } from '../bar.tsx';
import type { Calls } from '../calls.ts';
import { Uncounted } from '../uncounted.tsx';
import { type FlameShows, sourceOf, stateOf } from './source.ts';
import { TimeOrderView } from './time.tsx';
import { WeightChoice } from './weight.tsx';
import './flame.css';

/** Names on a long path: the root and the last ones; the bars show the rest. */
const MOST_CRUMBS = 5;

const MODES: readonly (readonly [FlameMode, string])[] = [
  ['heavy', 'Left heavy'],
  ['time', 'Time order'],
  ['inverted', 'Inverted'],
  ['sandwich', 'Sandwich'],
];

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
        <select
          aria-label="Mode"
          value={mode}
          onChange={(event) => {
            reached.value = -1;
            calls.mode.value = event.currentTarget.value as FlameMode;
            // The function that stands out is the one that the user is looking at.
            const { highlighted } = statistics;
            if (calls.mode.peek() === 'sandwich' && calls.path.peek().length === 0 && highlighted.peek() >= 0) {
              calls.sandwich(highlighted.peek());
            }
          }}
        >
          {MODES.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
        {!timed && <WeightChoice open={open} calls={calls} />}
        <CollapseSwitch calls={calls} />
        <PathFilter calls={calls} />
        <FunctionActions open={open} calls={calls} name={target} sandwich={sandwich} changes />
        {told && !timed && (
          <span class="muted panel-end">
            {flat ? 'Overlapping lifetimes, not nested calls. ' : ''}
            {amount(told, countedSlices(told.slices, tracks, info))}
          </span>
        )}
      </div>
      <Chips open={open} calls={calls} />
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
  const mode = calls.mode.value;
  // Of a sandwich, the function is drawn once: above its callees.
  const state = useMemo(() => stateOf(open, 'flame', mode === 'sandwich' ? 1 : 0), [open, mode]);
  const above = useMemo(() => stateOf(open, 'callers', 1), [open]);
  const laid = state.laid.value;
  const asked = told.wanted.flame?.mode;
  // A reply to the question before is not what this mode shows.
  const isOther = asked !== ({ heavy: 'down', inverted: 'up', sandwich: 'sandwich', time: undefined } as const)[mode];
  if (!laid || isOther) return <div class="flame-scroller grow" aria-busy="true" />;
  if (laid.width === 0) return <p class="panel-note muted">{whyEmpty(told, laid, calls)}</p>;
  const common = { open, theme, clock, isOld, reach };
  if (mode === 'sandwich') {
    const center = (of: LaidFlame, index: number) => {
      const name = flamePath(of.flame, index).at(-1) ?? of.flame.name[0];
      if (index > 0 && name !== undefined) sandwich(name);
    };
    return (
      <div class="sandwich grow">
        <Graph {...common} state={above} shows="callers" focus={center} back={calls.focusBack} />
        <Graph {...common} state={state} shows="callees" focus={center} back={calls.focusBack} />
      </div>
    );
  }
  return (
    <>
      <Way laid={laid} state={state} open={open} focus={calls.focus} />
      <Graph
        {...common}
        state={state}
        shows={mode === 'inverted' ? 'inverted' : 'flame'}
        focus={({ flame }, index) => calls.focus(flamePath(flame, index))}
        back={calls.focusBack}
      />
    </>
  );
}

/** What a canvas shows, for its label. */
const LABELS: Readonly<Record<FlameShows, string>> = {
  flame: 'Flame graph. Arrows go to callers, callees and neighbours, Enter zooms in, Escape zooms out.',
  inverted: 'Flame graph, inverted. Arrows go to callees, callers and neighbours, Enter zooms in, Escape zooms out.',
  callers: 'Callers. Arrows go to callers, callees and neighbours, Enter shows a sandwich of the function.',
  callees: 'Callees. Arrows go to callers, callees and neighbours, Enter shows a sandwich of the function.',
};

interface GraphProps extends Pick<GraphsProps, 'open' | 'theme' | 'clock' | 'isOld' | 'reach'> {
  readonly state: FlameState;
  readonly shows: FlameShows;
  readonly focus: (laid: LaidFlame, index: number) => void;
  readonly back: () => boolean;
}

function Graph({ open, clock, state, shows, ...rest }: GraphProps) {
  const of = useMemo(() => sourceOf(open, state, clock, shows), [open, state, clock, shows]);
  const act = shows === 'flame' || shows === 'inverted' ? 'Zoom in' : 'Show a sandwich of the function';
  return <FlameCanvas {...rest} of={of} state={state} label={LABELS[shows]} act={act} />;
}

/** Why the graph is empty, in a sentence. */
function whyEmpty({ slices, unmeasured }: Told<unknown>, { flame }: LaidFlame, calls: Calls): string {
  if (slices === 0) return 'No calls in this range.';
  if (calls.changes.value.length > 0) return 'No call path is left after these changes.';
  if (unmeasured !== null && flame.total[0] === 0) return 'No call in this range was measured.';
  return flame.total[0] === 0 ? 'The calls in this range have no duration.' : 'No call of this function in this range.';
}

interface WayProps {
  readonly open: OpenTrace;
  readonly state: FlameState;
  readonly laid: LaidFlame;
  readonly focus: (path: readonly number[]) => void;
}

/** The path from the root to the node in focus. A click on a node above focuses it. */
function Way({ open, state, laid, focus: focusOn }: WayProps) {
  const { flame } = laid;
  const { focus } = flame;
  const names = Array.from({ length: focus + 1 }, (_, i) => flameName(laid, i, open.trace.names, state.rootName.value));
  const shown = [...names.keys()].filter((i) => i === 0 || i > focus - MOST_CRUMBS + 1);
  return (
    <nav class="way ellipsis rigid mono" aria-label="Callers of what is in focus">
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
            <button type="button" class="plain crumb" onClick={() => focusOn(flamePath(flame, i))}>
              {names[i]}
            </button>
          )}
        </span>
      ))}
      {flame.partial && <span class="muted"> Some nodes have more below them: focus one to see it.</span>}
    </nav>
  );
}
