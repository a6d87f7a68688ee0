import { computed, effect, type ReadonlySignal, type Signal, signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatCount, formatCounted, formatLength, formatPercent, formatShare } from '../base/format.ts';
import type { Clock } from '../base/protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { canFocus, FLAME_ROW, type FlameStep, flameStep, type LaidFlame, layOutFlame, nodeAt } from '../model/flame.ts';
import { type Told, tracksOf } from '../model/statistics.ts';
import type { ThemeControl } from '../model/theme.ts';
import type { OpenTrace } from '../model/workbench.ts';
import { createCanvas2d } from '../render/canvas2d.ts';
import { drawFlame, drawFlameMarks, flameName } from '../render/flame.ts';
import { DIMMED, PALETTES } from '../render/palette.ts';
import { LABEL_FONT } from '../render/scene.ts';
import { createTextFitter } from '../render/text.ts';
import type { PanelProps } from './dock.tsx';
import { Nothing } from './functions.tsx';
import { allName } from './scope.tsx';

/** CSS pixels. */
const SLACK = 2;
const GAP = 14;
const TIP = 360;
/** Of a long way down only its ends are named; the bars say the rest. */
const MOST_CRUMBS = 5;
const STEPS: Readonly<Record<string, FlameStep>> = {
  ArrowUp: 'caller',
  ArrowDown: 'callee',
  ArrowLeft: 'previous',
  ArrowRight: 'next',
};

/** What is on the screen of the flame graph. */
interface FlameState {
  readonly laid: ReadonlySignal<LaidFlame | null>;
  readonly size: Signal<{ readonly width: number; readonly height: number }>;
  readonly scrollTop: Signal<number>;
  readonly pointer: Signal<{ readonly x: number; readonly y: number } | null>;
  readonly hovered: ReadonlySignal<number>;
  /** The call-tree node that the keyboard is at, or -1. */
  readonly current: Signal<number>;
  /** Its index in the flame graph, or -1 when it is not there. */
  readonly currentIndex: ReadonlySignal<number>;
  readonly rootName: ReadonlySignal<string>;
}

/** Where time goes, by who called whom: the heaviest callees first. */
export function FlameGraph({ open, theme }: PanelProps) {
  const { trace, statistics } = open;
  const state = useMemo(() => createState(open), [open]);
  useEffect(() => {
    statistics.shown.value = 'flame';
    return () => {
      statistics.shown.value = null;
    };
  }, [statistics]);
  const info = trace.info.value;
  const told = statistics.flame.value;
  const laid = state.laid.value;
  if (!info) return null;
  if (!told || !laid) return <Nothing open={open} />;
  const said = told.exact
    ? formatCounted(told.slices, info.sliceNoun)
    : `estimated from ${formatPercent(told.visited, told.slices)} of ${formatCounted(told.slices, info.sliceNoun)}`;
  const tracks = tracksOf(trace.tracks.value.values(), statistics.whose.value);
  const flat = tracks.length > 0 && tracks.every((track) => track.overlapping);
  return (
    <div class="flame">
      <div class="panel-bar">
        <Way open={open} state={state} laid={laid} />
        <span class="muted panel-end">
          {flat ? 'These overlap and do not call one another. ' : ''}
          {said}
        </span>
      </div>
      {laid.width === 0 ? (
        <p class="panel-note muted">{whyEmpty(told, laid)}</p>
      ) : (
        <Graph open={open} theme={theme} state={state} clock={info.clock} />
      )}
    </div>
  );
}

/** Why there is no picture. */
function whyEmpty({ slices }: Told<unknown>, { flame }: LaidFlame): string {
  if (slices === 0) return 'Nothing runs in this range.';
  return flame.total[0] === 0 ? 'What runs in this range takes no time.' : 'This does not run in this range.';
}

function createState({ statistics }: OpenTrace): FlameState {
  const size = signal({ width: 0, height: 0 });
  const scrollTop = signal(0);
  const pointer = signal<{ x: number; y: number } | null>(null);
  const current = signal(-1);
  const laid = computed(() => {
    const told = statistics.flame.value;
    return told && layOutFlame(told.columns);
  });
  const hovered = computed(() => {
    const at = pointer.value;
    const { width } = size.value;
    const now = laid.value;
    if (!at || !now || width === 0) return -1;
    return nodeAt(now, Math.floor((at.y + scrollTop.value) / FLAME_ROW), at.x / width, SLACK / width);
  });
  const currentIndex = computed(() => (current.value < 0 ? -1 : (laid.value?.flame.node.indexOf(current.value) ?? -1)));
  const rootName = computed(() => {
    const whose = statistics.whose.value;
    if (whose !== 'all') return statistics.choices.value.find(({ id }) => id === whose)?.name ?? '';
    return allName(statistics.all.value);
  });
  return { laid, size, scrollTop, pointer, hovered, current, currentIndex, rootName };
}

/** The callers of what is in focus, from the root, each a way back. */
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

interface GraphProps {
  readonly open: OpenTrace;
  readonly theme: ThemeControl;
  readonly state: FlameState;
  readonly clock: Clock;
}

function Graph({ open, theme, state, clock }: GraphProps) {
  const { statistics } = open;
  const scroller = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const shapes = useRef<HTMLCanvasElement>(null);
  const marks = useRef<HTMLCanvasElement>(null);
  /** Where one came from, the last first to go back to. */
  const history = useSignal<readonly number[]>([]);
  const spoken = useComputed(() => {
    const laid = state.laid.value;
    const i = state.currentIndex.value;
    return laid && i >= 0 ? describe(open, state, laid, i, clock).join(', ') : '';
  });

  useEffect(() => {
    const scope = createScope();
    scope.add(watchSize(area.current!, (width, height) => (state.size.value = { width, height })));
    scope.add(drawWhenNeeded(open, theme, state, clock, shapes.current!, marks.current!));
    return scope.dispose;
  }, [open, theme, state, clock]);

  const focusOn = (index: number) => {
    const laid = state.laid.peek();
    if (!laid || !canFocus(laid.flame, index) || index === laid.flame.focus) return;
    history.value = [...history.value, statistics.focus.peek()];
    statistics.focus.value = laid.flame.node[index]!;
    if (scroller.current) scroller.current.scrollTop = 0;
  };
  const back = (): boolean => {
    if (statistics.focus.peek() === 0) return false;
    statistics.focus.value = history.value.at(-1) ?? 0;
    history.value = history.value.slice(0, -1);
    return true;
  };
  const go = (step: FlameStep) => {
    const laid = state.laid.peek();
    if (!laid) return;
    const from = state.currentIndex.peek();
    const to = from < 0 ? laid.flame.focus : flameStep(laid, from, step);
    if (!canFocus(laid.flame, to)) return;
    state.current.value = laid.flame.node[to]!;
    const box = scroller.current!;
    const top = laid.row[to]! * FLAME_ROW;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + FLAME_ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + FLAME_ROW - box.clientHeight;
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    let done = true;
    if (step) go(step);
    else if (event.key === 'Enter') focusOn(state.currentIndex.peek());
    else if (event.key === 'Escape' || event.key === 'Backspace') {
      done = back();
      if (!done && state.current.peek() >= 0) {
        state.current.value = -1;
        done = true;
      }
    } else done = false;
    if (!done) return;
    // What is done here is not to be done to the timeline as well.
    event.preventDefault();
    event.stopPropagation();
  };
  const rows = state.laid.value?.rows.length ?? 0;
  return (
    <div
      class="flame-scroller"
      ref={scroller}
      onScroll={(event) => {
        state.scrollTop.value = event.currentTarget.scrollTop;
      }}
    >
      <div class="sizer" style={{ height: `${rows * FLAME_ROW + 4}px` }} />
      <div
        ref={area}
        class="flame-area"
        role="application"
        aria-roledescription="flame graph"
        aria-label="Flame graph. Arrows go to callers, callees and neighbours, Enter looks closer, Escape goes back."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys.
        tabIndex={0}
        onKeyDown={onKey}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          state.pointer.value = { x: event.clientX - box.left, y: event.clientY - box.top };
        }}
        onPointerLeave={() => {
          state.pointer.value = null;
        }}
        onClick={() => focusOn(state.hovered.peek())}
      >
        <canvas ref={shapes} />
        <canvas ref={marks} />
        <FlameTooltip open={open} state={state} clock={clock} />
      </div>
      <div class="unseen" role="status">
        {spoken.value}
      </div>
    </div>
  );
}

/** What is known of a node: its name, and then a line each. */
function describe(open: OpenTrace, state: FlameState, laid: LaidFlame, i: number, clock: Clock): string[] {
  const { total, self, count } = laid.flame;
  const length = (ticks: number) => formatLength(BigInt(Math.round(ticks)), clock);
  const percent = (ticks: number) => formatShare(ticks, total[0]!);
  return [
    flameName(laid, i, open.trace.names, state.rootName.value),
    `total ${length(total[i]!)}, ${percent(total[i]!)}`,
    `self ${length(self[i]!)}, ${percent(self[i]!)}`,
    `${formatCount(Math.round(count[i]!))}×`,
  ];
}

function FlameTooltip({ open, state, clock }: { open: OpenTrace; state: FlameState; clock: Clock }) {
  const laid = state.laid.value;
  const at = state.pointer.value;
  const i = state.hovered.value;
  if (!laid || !at || i < 0) return null;
  const { width, height } = state.size.value;
  const late = at.x > width / 2;
  const low = at.y > height / 2;
  const style = {
    [late ? 'right' : 'left']: `${(late ? width - at.x : at.x) + GAP}px`,
    [low ? 'bottom' : 'top']: `${(low ? height - at.y : at.y) + GAP}px`,
    maxWidth: `${Math.min(TIP, (late ? at.x : width - at.x) - GAP)}px`,
  };
  const { total, self, count } = laid.flame;
  const line = (ticks: number) => (
    <>
      {formatLength(BigInt(Math.round(ticks)), clock)} <span class="muted">{formatShare(ticks, total[0]!)}</span>
    </>
  );
  const own = open.trace.info.value?.sliceNoun ?? 'call';
  return (
    <div class="tooltip" style={style}>
      <p class="call">
        <b>{flameName(laid, i, open.trace.names, state.rootName.value)}</b>
      </p>
      <p>
        <span class="muted">total</span> {line(total[i]!)}
      </p>
      {i > 0 && (
        <p>
          <span class="muted">self</span> {line(self[i]!)}
        </p>
      )}
      <p class="muted">{formatCounted(Math.round(count[i]!), own)}</p>
    </div>
  );
}

function drawWhenNeeded(
  open: OpenTrace,
  theme: ThemeControl,
  state: FlameState,
  clock: Clock,
  shapes: HTMLCanvasElement,
  marks: HTMLCanvasElement,
): Dispose {
  const { trace, statistics } = open;
  const scope = createScope();
  const renderer = createCanvas2d(shapes);
  scope.add(renderer.dispose);
  const context = marks.getContext('2d')!;
  const fitter = createTextFitter(context);
  const ratio = signal(devicePixelRatio);
  scope.listen(window, 'resize', () => (ratio.value = devicePixelRatio));
  let frame = 0;
  const draw = () => {
    frame = 0;
    const laid = state.laid.peek();
    const { width, height } = state.size.peek();
    if (!laid || width === 0 || height === 0) return;
    const scale = ratio.peek();
    renderer.resize(width, height, scale);
    marks.width = Math.max(1, Math.round(width * scale));
    marks.height = Math.max(1, Math.round(height * scale));
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = LABEL_FONT;
    context.fontKerning = 'none';
    const highlighted = statistics.highlighted.peek();
    const hovered = state.hovered.peek();
    const scene = {
      laid,
      width,
      height,
      names: trace.names,
      palette: (highlighted < 0 ? PALETTES : DIMMED)[theme.theme.peek()],
      scrollTop: state.scrollTop.peek(),
      lifted: highlighted < 0 ? (laid.flame.name[hovered] ?? -1) : highlighted,
      current: state.currentIndex.peek(),
      rootName: state.rootName.peek(),
      length: (total: number) => formatLength(BigInt(Math.round(total)), clock),
    };
    drawFlame(renderer, scene);
    drawFlameMarks(context, fitter, scene);
  };
  scope.add(
    effect(() => {
      void [state.laid.value, state.size.value, state.scrollTop.value, state.hovered.value, state.currentIndex.value];
      void [theme.theme.value, ratio.value, statistics.highlighted.value, state.rootName.value];
      if (frame === 0) frame = requestAnimationFrame(draw);
    }),
  );
  scope.add(() => cancelAnimationFrame(frame));
  return scope.dispose;
}

function watchSize(element: HTMLElement, tell: (width: number, height: number) => void): Dispose {
  const observer = new ResizeObserver(() => tell(element.clientWidth, element.clientHeight));
  observer.observe(element);
  tell(element.clientWidth, element.clientHeight);
  return () => observer.disconnect();
}
