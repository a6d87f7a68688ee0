import { useMemo } from 'preact/hooks';
import type { ThemeControl } from '../../parts/theme.ts';
import type { FlameMode } from '../../trace/call_paths.ts';
import type { Names } from '../../trace/names.ts';
import type { PathActions } from '../../trace/path_actions.ts';
import { flamePath, type LaidFlame } from '../flame.ts';
import { flameName } from '../render/flame.ts';
import { FlameCanvas } from './flame_canvas.tsx';
import type { FlameSource, FlameState } from './flame_state.ts';
import './flame_graphs.css';

/** Names on a long path: the root and the last ones; the bars show the rest. */
const MOST_CRUMBS = 5;

const TITLES: Readonly<Record<FlameMode, string>> = {
  heavy: 'Left heavy',
  time: 'Time order',
  inverted: 'Inverted',
  sandwich: 'Sandwich',
};

interface ChoiceProps {
  readonly paths: Pick<PathActions, 'mode'>;
  /** Those to choose from. */
  readonly modes: readonly FlameMode[];
  readonly choose: (mode: FlameMode) => void;
}

/** The choice of what a flame graph shows. */
export function FlameModeChoice({ paths, modes, choose }: ChoiceProps) {
  return (
    <select
      aria-label="Mode"
      value={paths.mode.value}
      onChange={(event) => choose(event.currentTarget.value as FlameMode)}
    >
      {modes.map((mode) => (
        <option key={mode} value={mode}>
          {TITLES[mode]}
        </option>
      ))}
    </select>
  );
}

/** What a drawing of call paths shows. */
export type FlameShows = 'flame' | 'inverted' | 'callers' | 'callees';

/** What a canvas shows, and its keys. */
function labelOf(shows: FlameShows, title: string): string {
  const isUp = shows === 'inverted';
  const names = { flame: title, inverted: `${title}, inverted`, callers: 'Callers', callees: 'Callees' };
  const act = shows === 'flame' || isUp ? 'Enter zooms in, Escape zooms out' : 'Enter shows a sandwich of the function';
  return `${names[shows]}. Arrows go to ${isUp ? 'callees, callers' : 'callers, callees'} and neighbours, ${act}.`;
}

/** What the width of a node means, and whether its self time says more. */
export function widthOf(
  shows: FlameShows,
  laid: LaidFlame,
  i: number,
): { readonly word: string; readonly hasSelf: boolean } {
  switch (shows) {
    case 'flame':
    case 'callees':
      return { word: 'total', hasSelf: i > 0 };
    case 'inverted':
      // Below a function, widths are parts of the time of that function.
      return { word: laid.row[i]! > 1 ? 'self time of the function below, called from here' : 'self', hasSelf: false };
    case 'callers':
      return { word: i === 0 ? 'total' : 'total of the function, called from here', hasSelf: false };
  }
}

interface Props {
  /** Left heavy, inverted, or a sandwich. */
  readonly mode: FlameMode;
  /** What the view is about; of a sandwich, the callees. */
  readonly state: FlameState;
  /** The callers of a sandwich. */
  readonly above: FlameState;
  readonly sourceOf: (state: FlameState, shows: FlameShows) => FlameSource;
  /** Sources are made again when this is another one. */
  readonly about: unknown;
  readonly names: Pick<Names, 'shown'>;
  readonly theme: ThemeControl;
  /** The answer to an earlier question. */
  readonly isOld: boolean;
  readonly paths: Pick<PathActions, 'focus' | 'focusBack'>;
  /** The function that a name of a node stands for. The same without it. */
  readonly nameOf?: (id: number) => number;
  readonly sandwich: (name: number) => void;
  /** The name of the function that the cursor or a click has reached; -1 for none. */
  readonly reach: (name: number) => void;
  /** What the graph is, in its label. */
  readonly title: string;
}

/** A flame graph with the way to what is in focus, or both graphs of a sandwich. */
export function FlameGraphs({ mode, state, above, paths, sandwich, nameOf = (id) => id, ...rest }: Props) {
  const common = { ...rest, reach: (id: number) => rest.reach(id < 0 ? -1 : nameOf(id)), back: paths.focusBack };
  if (mode === 'sandwich') {
    const center = ({ flame }: LaidFlame, index: number) => {
      const id = flamePath(flame, index).at(-1) ?? flame.name[0];
      if (index > 0 && id !== undefined) sandwich(nameOf(id));
    };
    return (
      <div class="sandwich grow">
        <Graph {...common} state={above} shows="callers" focus={center} />
        <Graph {...common} state={state} shows="callees" focus={center} />
      </div>
    );
  }
  const focus = ({ flame }: LaidFlame, index: number) => paths.focus(flamePath(flame, index).map(nameOf));
  return (
    <>
      <Way state={state} names={rest.names} focus={focus} />
      <Graph {...common} state={state} shows={mode === 'inverted' ? 'inverted' : 'flame'} focus={focus} />
    </>
  );
}

interface GraphProps extends Pick<Props, 'sourceOf' | 'about' | 'theme' | 'isOld' | 'reach' | 'title'> {
  readonly state: FlameState;
  readonly shows: FlameShows;
  readonly focus: (laid: LaidFlame, index: number) => void;
  readonly back: () => boolean;
}

function Graph({ sourceOf, about, state, shows, title, ...rest }: GraphProps) {
  const of = useMemo(() => sourceOf(state, shows), [about, state, shows]);
  const act = shows === 'flame' || shows === 'inverted' ? 'Zoom in' : 'Show a sandwich of the function';
  return <FlameCanvas {...rest} of={of} state={state} label={labelOf(shows, title)} act={act} />;
}

interface WayProps {
  readonly state: FlameState;
  readonly names: Pick<Names, 'shown'>;
  readonly focus: (laid: LaidFlame, index: number) => void;
}

/** The path from the root to the node in focus. A click on a node above focuses it. */
function Way({ state, names: all, focus: focusOn }: WayProps) {
  const laid = state.laid.value;
  if (!laid) return null;
  const { flame } = laid;
  const { focus } = flame;
  const names = Array.from({ length: focus + 1 }, (_, i) =>
    flameName(laid, i, { of: all.shown }, state.rootName.value),
  );
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
            <button type="button" class="plain crumb" onClick={() => focusOn(laid, i)}>
              {names[i]}
            </button>
          )}
        </span>
      ))}
      {flame.partial && <span class="muted"> Some nodes have more below them: focus one to see it.</span>}
    </nav>
  );
}
