import { computed, type ReadonlySignal, type Signal, signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatPercent } from '../../base/format.ts';
import { type Clock, NO_NAME } from '../../base/protocol.ts';
import type { PanelProps } from '../../page/page.ts';
import type { MenuItem } from '../../parts/menu/request.ts';
import { SaveMenu } from '../../parts/menu/save_menu.tsx';
import { Popover, PopoverButton } from '../../parts/popover.tsx';
import { layOutFlame } from '../../timeline/flame.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { FlameGraphs, FlameModeChoice } from '../../timeline/widgets/flame_graphs.tsx';
import { createFlameState } from '../../timeline/widgets/flame_state.ts';
import { ActionsOfFunction, Chips } from '../../timeline/widgets/path_changes.tsx';
import { FLAME_MODES } from '../../trace/call_paths.ts';
import { saveBlob } from '../../trace/save_blob.ts';
import type { Compared, Comparison } from './comparison.ts';
import { factorText } from './figures.ts';
import { saveDifferencePicture } from './flame_picture.ts';
import { type ColouredBy, createPathNames, differenceSource, SCALE } from './flame_source.ts';
import { PathsButton } from './paths_button.tsx';
import type { ComparedFlame, ComparedFlames, FlameWidth } from './protocol.ts';

interface Props extends PanelProps {
  readonly comparison: Comparison;
  readonly compared: Compared;
  readonly a: OpenTrace;
  readonly b: OpenTrace;
  readonly clock: Clock;
  /** Chooses a row of the comparison, in both traces. */
  readonly choose: (row: number) => void;
  /** What the bar begins with. */
  readonly lead: ComponentChildren;
  /** What changed, in words, below the bar. */
  readonly sentence: ComponentChildren;
}

const WIDTHS: readonly (readonly [FlameWidth, string])[] = [
  ['larger', 'the larger'],
  ['a', 'A'],
  ['b', 'B'],
];
const COLOURS: readonly (readonly [ColouredBy, string])[] = [
  ['self', 'self'],
  ['total', 'total'],
];
/** Shares of the whole below which a difference is grey. */
const THRESHOLDS = [0, 0.001, 0.01, 0.05];
/** The order of time is not one of both. */
const MODES = FLAME_MODES.filter((mode) => mode !== 'time');

/** What the graph on the screen looks like, and where its keyboard is. It is kept while other views are in front. */
function createGraph({ flame }: Comparison, { rows, a: ofA, b: ofB, paths }: Compared, a: OpenTrace, b: OpenTrace) {
  const by = signal<ColouredBy>('self');
  const threshold = signal(0.001);
  /** The row that the cursor or a click has reached, or -1. */
  const reached = signal(-1);
  const nodes = createPathNames(paths.names);
  const graphOf = (part: keyof ComparedFlames) => computed((): ComparedFlame | null => flame.value?.[part] ?? null);
  const laidOf = (part: keyof ComparedFlames, graph: ReadonlySignal<ComparedFlame | null>) =>
    computed(() => {
      const now = graph.value;
      const asked = flame.value?.asked;
      if (!now || !asked) return null;
      const colouring = { by: by.value, threshold: threshold.value, factor: asked.normalised ? now.factor : 1 };
      const from = part === 'callers' ? 'callers' : asked.mode === 'inverted' ? 'inverted' : 'flame';
      // Of a sandwich, the function is drawn once: above its callees.
      return layOutFlame(nodes.named(now, from, colouring), asked.mode === 'sandwich' ? 1 : 0);
    });
  const graphs = { flame: graphOf('flame'), callers: graphOf('callers') };
  const laid = { flame: laidOf('flame', graphs.flame), callers: laidOf('callers', graphs.callers) };
  const rootName = computed(() => {
    const asked = flame.value?.asked;
    return asked?.mode === 'sandwich' ? paths.names.of(asked.path[0] ?? -1) : 'All calls of both';
  });
  /** What the search of the page finds in either trace. */
  const hits = computed((): ReadonlySet<number> => {
    const [inA, inB] = [a.find.names.value, b.find.names.value];
    const isHit = (row: number) =>
      inA.has(ofA.functions.name[rows.a[row] ?? -1] ?? -1) || inB.has(ofB.functions.name[rows.b[row] ?? -1] ?? -1);
    const names = [laid.flame, laid.callers].flatMap((of) => [...(of.value?.flame.name ?? [])]);
    return new Set(inA.size + inB.size > 0 ? names.filter((id) => id !== NO_NAME && isHit(nodes.rowOf(id))) : []);
  });
  const state = createFlameState(laid.flame, rootName);
  const above = createFlameState(laid.callers, rootName, true);
  return { by, threshold, reached, nodes, graphs, hits, state, above };
}

/** Saves stacks with the self times of both. `refusal` becomes the sentence of why not. */
async function saveStacks(comparison: Comparison, refusal: Signal<string>): Promise<void> {
  try {
    const file = await comparison.saved('folded', '', '');
    refusal.value = '';
    saveBlob(file.slice(0, file.size, 'text/plain'), 'differences.folded.txt');
  } catch (error) {
    refusal.value = typeof error === 'string' ? error : '';
  }
}

/** One tree of the call paths of both traces, coloured by what changed. */
export function DifferenceFlame({ comparison, compared, a, b, clock, theme, choose, lead, sentence }: Props) {
  const { choice, flame, wanted, chosen } = comparison;
  const { paths } = compared;
  const graph = useMemo(() => createGraph(comparison, compared, a, b), [comparison, compared]);
  const { by, threshold, reached, nodes, graphs, hits, state, above } = graph;
  const now = flame.value;
  const { normalised } = choice.value;
  const mode = paths.mode.value;
  const path = paths.path.value;
  const target = reached.value >= 0 ? reached.value : (path.at(-1) ?? chosen.value);
  const sandwich = (row: number) => paths.sandwich(row);
  const isEmpty = state.laid.value?.width === 0;
  /** Why the stacks were not saved. */
  const refusal = useSignal('');
  return (
    <>
      <div class="panel-bar difference-bar">
        {lead}
        <FlameModeChoice
          paths={paths}
          modes={MODES}
          choose={(next) => {
            reached.value = -1;
            paths.mode.value = next;
            // The function that the user is looking at.
            if (next === 'sandwich' && paths.path.peek().length === 0 && target >= 0) paths.sandwich(target);
          }}
        />
        <PopoverButton
          place="difference-look"
          look="plain link"
          title="Choose what widths and colours show"
          content={() => <Look comparison={comparison} graph={graph} />}
        >
          Widths, colours…
        </PopoverButton>
        {normalised && now && <span title="Times of B are normalised">B {factorText(now.flame.factor)}</span>}
        <PathsButton paths={paths} />
        <ActionsOfFunction
          name={target}
          names={paths.names}
          notListed={null}
          list={(row) => {
            choose(row);
            comparison.view.value = 'calls';
          }}
          isSandwich={mode === 'sandwich' && path[0] === target}
          sandwich={sandwich}
          paths={paths}
        />
        <span class="panel-end row difference-end">
          <Legend />
          <Save
            picture={(form) =>
              saveDifferencePicture(form, {
                laid: mode === 'sandwich' ? [above.laid.peek(), state.laid.peek()] : [state.laid.peek()],
                answer: flame.peek(),
                colouredBy: COLOURS.find(([value]) => value === by.peek())?.[1] ?? '',
                threshold: threshold.peek() === 0 ? '' : formatPercent(threshold.peek(), 1),
                names: nodes.names,
                hits: hits.peek(),
                rootName: state.rootName.peek(),
                theme: theme.theme.peek(),
                width: state.size.peek().width,
                a: a.trace.name,
                b: b.trace.name,
                clock,
              })
            }
            stacks={() => saveStacks(comparison, refusal)}
          />
        </span>
      </div>
      {sentence}
      {refusal.value && <p class="panel-note muted">{refusal}</p>}
      <Chips paths={paths} names={paths.names} />
      {!wanted.value && mode === 'sandwich' ? (
        <p class="panel-note muted">
          Choose a function in Functions, or walk to one here, to see its callers above and its callees below.
        </p>
      ) : now && isEmpty ? (
        <p class="panel-note muted">
          {paths.changes.value.length > 0
            ? 'No call path is left after these changes.'
            : 'Neither trace has calls with a duration here.'}
        </p>
      ) : now && now.asked.mode !== mode ? (
        <div class="flame-scroller grow" aria-busy="true" />
      ) : (
        <FlameGraphs
          key={mode}
          mode={mode}
          state={state}
          above={above}
          title="Flame graph of the difference"
          sourceOf={(of, shows) =>
            differenceSource(nodes, of === above ? graphs.callers : graphs.flame, hits, clock, shows, of.rootName)
          }
          about={graph}
          names={nodes.names}
          nameOf={nodes.rowOf}
          theme={theme}
          isOld={now?.asked !== wanted.value}
          paths={paths}
          sandwich={sandwich}
          reach={(row) => {
            reached.value = row;
          }}
        />
      )}
    </>
  );
}

interface LookProps {
  readonly comparison: Comparison;
  readonly graph: Pick<ReturnType<typeof createGraph>, 'by' | 'threshold'>;
}

/** What widths and colours show. */
function Look({ comparison: { choice }, graph: { by, threshold } }: LookProps) {
  const { width, normalised } = choice.value;
  return (
    <Popover class="difference-looks" label="Widths and colours">
      <label>
        Width
        <select
          title="What the width of a function is"
          value={width}
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
      </label>
      <label>
        Colour
        <select
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
      </label>
      <label>
        Threshold
        <select
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
      </label>
      <label class="collapse row" title="Scale the times of B, so that both are equally long">
        <input
          type="checkbox"
          checked={normalised}
          onChange={() => {
            choice.value = { ...choice.peek(), normalised: !normalised };
          }}
        />
        Normalise
      </label>
    </Popover>
  );
}

interface SaveProps {
  readonly picture: (form: 'svg' | 'png') => Promise<void>;
  readonly stacks: () => Promise<void>;
}

/** The menu of files that the graph can be saved as. */
function Save({ picture, stacks }: SaveProps) {
  const items: readonly MenuItem[] = [
    { id: 'svg', title: 'Save the graph (SVG)', run: () => void picture('svg') },
    { id: 'png', title: 'Save the graph (PNG)', run: () => void picture('png') },
    // With the self times of both.
    { id: 'stacks', title: 'Save stacks for difffolded.pl and flamegraph.pl', run: () => void stacks() },
  ];
  return <SaveMenu title="Save the graph as a file" items={items} />;
}

/** What the colours mean. */
function Legend() {
  return (
    <span class="muted">
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
