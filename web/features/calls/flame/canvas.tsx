import { useComputed } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted, formatLength, formatShare } from '../../../base/format.ts';
import { type Clock, NO_NAME } from '../../../base/protocol.ts';
import { useDrawingMenu } from '../../../parts/menu/row_menu.ts';
import type { ThemeControl } from '../../../parts/theme.ts';
import { TooltipBox } from '../../../parts/tooltip.tsx';
import { canFocus, FLAME_ROW, type FlameStep, flamePath, flameStep, type LaidFlame } from '../../../timeline/flame.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { flameName } from '../../../timeline/render/flame.ts';
import { drawFlameGraph } from './drawing.ts';
import type { FlameState } from './state.ts';

/** CSS pixels. */
const WIDEST = 360;
const STEPS: Readonly<Record<string, FlameStep>> = {
  ArrowUp: 'caller',
  ArrowDown: 'callee',
  ArrowLeft: 'previous',
  ArrowRight: 'next',
};

/** What a canvas shows, for its label. */
const LABELS = {
  flame: 'Flame graph. Arrows go to callers, callees and neighbours, Enter zooms in, Escape zooms out.',
  inverted: 'Flame graph, inverted. Arrows go to callees, callers and neighbours, Enter zooms in, Escape zooms out.',
  callers: 'Callers. Arrows go to callers, callees and neighbours, Enter shows a sandwich of the function.',
  callees: 'Callees. Arrows go to callers, callees and neighbours, Enter shows a sandwich of the function.',
} as const;

/** With the root at the bottom. */
const UPWARDS: Readonly<Record<string, FlameStep>> = { ...STEPS, ArrowUp: 'callee', ArrowDown: 'caller' };

interface Props {
  readonly open: OpenTrace;
  readonly theme: ThemeControl;
  readonly state: FlameState;
  readonly clock: Clock;
  /** What is drawn answers an earlier question. */
  readonly isOld: boolean;
  readonly shows: keyof typeof LABELS;
  /** Looks closer at a node. */
  readonly focus: (laid: LaidFlame, index: number) => void;
  /** Goes back to what was looked at before. Returns false if that is nothing. */
  readonly back: () => boolean;
  /** Name id of the node that the keyboard cursor or a click has reached; -1 for none. */
  readonly reach: (name: number) => void;
}

/** The nodes of a flame graph, with pointer and keyboard navigation. */
export function FlameCanvas({ open, theme, state, clock, isOld, shows, focus, back, reach }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const shapes = useRef<HTMLCanvasElement>(null);
  const marks = useRef<HTMLCanvasElement>(null);
  const spoken = useComputed(() => {
    const laid = state.laid.value;
    const i = state.currentIndex.value;
    return laid && i >= 0 ? describe(open, state, laid, i, clock, shows).join(', ') : '';
  });

  useEffect(() => {
    // A panel that was closed at once has no elements any more when its effects run.
    if (!area.current || !shapes.current || !marks.current) return undefined;
    const canvases = { area: area.current, shapes: shapes.current, marks: marks.current };
    return drawFlameGraph(open, theme, state, clock, canvases);
  }, [open, theme, state, clock]);

  const rows = state.laid.value?.rows.length ?? 0;
  const { upwards } = state;
  // What goes upwards begins at the bottom.
  useLayoutEffect(() => {
    if (upwards && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [upwards, rows]);
  const focusOn = (index: number) => {
    const laid = state.laid.peek();
    if (!laid || !canFocus(laid.flame, index)) return;
    const name = laid.flame.name[index]!;
    reach(name === NO_NAME ? -1 : name);
    // The one that stood out is no longer what the user looks at.
    if (open.statistics.highlighted.peek() !== name) open.statistics.highlighted.value = -1;
    focus(laid, index);
    if (scroller.current && !upwards) scroller.current.scrollTop = 0;
  };
  const go = (step: FlameStep) => {
    const laid = state.laid.peek();
    if (!laid) return;
    const from = state.currentIndex.peek();
    const { focus: start } = laid.flame;
    const first = laid.row[start]! < 0 ? flameStep(laid, start, 'callee') : start;
    const to = from < 0 ? first : flameStep(laid, from, step);
    if (!canFocus(laid.flame, to) || laid.row[to]! < 0) return;
    state.current.value = flamePath(laid.flame, to);
    reach(laid.flame.name[to] === NO_NAME ? -1 : laid.flame.name[to]!);
    const box = scroller.current!;
    const { length } = laid.rows;
    const top = upwards
      ? Math.max(0, box.clientHeight - length * FLAME_ROW) + (length - 1 - laid.row[to]!) * FLAME_ROW
      : laid.row[to]! * FLAME_ROW;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + FLAME_ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + FLAME_ROW - box.clientHeight;
  };
  const onMenu = useDrawingMenu((_, byKey) => {
    const index = byKey ? state.currentIndex.peek() : state.hovered.peek();
    const laid = state.laid.peek();
    if (!laid || !canFocus(laid.flame, index)) return null;
    const id = laid.flame.name[index]!;
    const hasName = id !== NO_NAME && index > 0;
    const title = shows === 'flame' || shows === 'inverted' ? 'Zoom in' : 'Show a sandwich of the function';
    return {
      named: hasName ? { id, text: open.trace.names.of(id), isCalled: true } : null,
      show: null,
      own: [{ id: 'flame-focus', title, run: () => focusOn(index) }],
    };
  });
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (upwards ? UPWARDS : STEPS)[event.key];
    let done = true;
    if (step) go(step);
    else if (event.key === 'Enter') focusOn(state.currentIndex.peek());
    else if (event.key === 'Escape' || event.key === 'Backspace') {
      done = back();
      if (!done && state.current.peek()) {
        state.current.value = null;
        reach(-1);
        done = true;
      }
    } else done = false;
    if (!done) return;
    // A key that acted here must not run a command as well.
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class="flame-scroller grow"
      ref={scroller}
      onScroll={(event) => {
        state.scrollTop.value = event.currentTarget.scrollTop;
      }}
    >
      <div class="flame-sizer" style={{ height: `${rows * FLAME_ROW + 4}px` }} />
      <div
        ref={area}
        class="flame-area"
        role="application"
        aria-roledescription="flame graph"
        aria-label={LABELS[shows]}
        aria-busy={isOld}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys.
        tabIndex={0}
        onKeyDown={onKey}
        onContextMenu={onMenu}
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
        <FlameTooltip open={open} state={state} clock={clock} shows={shows} />
      </div>
      <div class="unseen" role="status">
        {spoken.value}
      </div>
    </div>
  );
}

/** What the width of a node means, and whether its self time says more. */
function widthOf(
  shows: Props['shows'],
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

/** The name of a node, then a phrase for each of its numbers. */
function describe(
  open: OpenTrace,
  state: FlameState,
  laid: LaidFlame,
  i: number,
  clock: Clock,
  shows: Props['shows'],
): string[] {
  const { total, self, count } = laid.flame;
  const length = (ticks: number) => formatLength(BigInt(Math.round(ticks)), clock);
  const percent = (ticks: number) => formatShare(ticks, total[0]!);
  const { word, hasSelf } = widthOf(shows, laid, i);
  return [
    flameName(laid, i, open.trace.names, state.rootName.value),
    `${word} ${length(total[i]!)}, ${percent(total[i]!)}`,
    ...(hasSelf || (i === 0 && shows === 'flame') ? [`self ${length(self[i]!)}, ${percent(self[i]!)}`] : []),
    `${formatCount(Math.round(count[i]!))}×`,
  ];
}

interface TooltipProps {
  readonly open: OpenTrace;
  readonly state: FlameState;
  readonly clock: Clock;
  readonly shows: Props['shows'];
}

function FlameTooltip({ open, state, clock, shows }: TooltipProps) {
  const laid = state.laid.value;
  const at = state.pointer.value;
  const i = state.hovered.value;
  if (!laid || !at || i < 0) return null;
  const { total, self, count } = laid.flame;
  const line = (ticks: number) => (
    <>
      {formatLength(BigInt(Math.round(ticks)), clock)} <span class="muted">{formatShare(ticks, total[0]!)}</span>
    </>
  );
  const own = open.trace.info.value?.sliceNoun ?? 'call';
  const { word, hasSelf } = widthOf(shows, laid, i);
  return (
    <TooltipBox at={at} area={state.size.value} widest={WIDEST}>
      <p class="call">
        <b>{flameName(laid, i, open.trace.names, state.rootName.value)}</b>
      </p>
      <p>
        <span class="muted">{word}</span> {line(total[i]!)}
      </p>
      {hasSelf && (
        <p>
          <span class="muted">self</span> {line(self[i]!)}
        </p>
      )}
      <p class="muted">{formatCounted(Math.round(count[i]!), own)}</p>
    </TooltipBox>
  );
}
