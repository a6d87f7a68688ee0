import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted, formatLength, formatShare } from '../../../base/format.ts';
import type { Clock } from '../../../base/protocol.ts';
import { canFocus, FLAME_ROW, type FlameStep, flameStep, type LaidFlame } from '../../../model/flame.ts';
import type { ThemeControl } from '../../../model/theme.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { flameName } from '../../../render/flame.ts';
import { TooltipBox } from '../../parts/tooltip.tsx';
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

interface Props {
  readonly open: OpenTrace;
  readonly theme: ThemeControl;
  readonly state: FlameState;
  readonly clock: Clock;
}

/** The nodes of a flame graph, with pointer and keyboard navigation. */
export function FlameCanvas({ open, theme, state, clock }: Props) {
  const { statistics } = open;
  const scroller = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const shapes = useRef<HTMLCanvasElement>(null);
  const marks = useRef<HTMLCanvasElement>(null);
  /** The nodes that were in focus before, the latest last. */
  const history = useSignal<readonly number[]>([]);
  const spoken = useComputed(() => {
    const laid = state.laid.value;
    const i = state.currentIndex.value;
    return laid && i >= 0 ? describe(open, state, laid, i, clock).join(', ') : '';
  });

  useEffect(() => {
    // A panel that was closed at once has no elements any more when its effects run.
    if (!area.current || !shapes.current || !marks.current) return undefined;
    const canvases = { area: area.current, shapes: shapes.current, marks: marks.current };
    return drawFlameGraph(open, theme, state, clock, canvases);
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
    // A key that acted here must not run a command as well.
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
      <div class="flame-sizer" style={{ height: `${rows * FLAME_ROW + 4}px` }} />
      <div
        ref={area}
        class="flame-area"
        role="application"
        aria-roledescription="flame graph"
        aria-label="Flame graph. Arrows go to callers, callees and neighbours, Enter zooms in, Escape zooms out."
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

/** The name of a node, then a phrase for each of its numbers. */
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
  const { total, self, count } = laid.flame;
  const line = (ticks: number) => (
    <>
      {formatLength(BigInt(Math.round(ticks)), clock)} <span class="muted">{formatShare(ticks, total[0]!)}</span>
    </>
  );
  const own = open.trace.info.value?.sliceNoun ?? 'call';
  return (
    <TooltipBox at={at} area={state.size.value} widest={WIDEST}>
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
    </TooltipBox>
  );
}
