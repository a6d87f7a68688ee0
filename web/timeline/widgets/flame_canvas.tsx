import { useComputed } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { NO_NAME } from '../../base/protocol.ts';
import { useDrawingMenu } from '../../parts/menu/row_menu.ts';
import type { ThemeControl } from '../../parts/theme.ts';
import { TooltipBox } from '../../parts/tooltip.tsx';
import { canFocus, FLAME_ROW, type FlameStep, flamePath, flameStep, type LaidFlame } from '../flame.ts';
import { drawFlameGraph } from './flame_drawing.ts';
import type { FlameSource, FlameState } from './flame_state.ts';
import './flame_canvas.css';

/** CSS pixels. */
const WIDEST = 360;
const STEPS: Readonly<Record<string, FlameStep>> = {
  ArrowUp: 'caller',
  ArrowDown: 'callee',
  ArrowLeft: 'previous',
  ArrowRight: 'next',
};

/** With the root at the bottom. */
const UPWARDS: Readonly<Record<string, FlameStep>> = { ...STEPS, ArrowUp: 'callee', ArrowDown: 'caller' };

interface Props {
  readonly of: FlameSource;
  readonly theme: ThemeControl;
  readonly state: FlameState;
  /** What is drawn answers an earlier question. */
  readonly isOld: boolean;
  /** What it shows, and its keys. */
  readonly label: string;
  /** What a click on a node does. */
  readonly act: string;
  /** Looks closer at a node. */
  readonly focus: (laid: LaidFlame, index: number) => void;
  /** Goes back to what was looked at before. Returns false if that is nothing. */
  readonly back: () => boolean;
  /** Name id of the node that the keyboard cursor or a click has reached; -1 for none. */
  readonly reach: (name: number) => void;
}

/** The nodes of a flame graph, with pointer and keyboard navigation. */
export function FlameCanvas({ of, theme, state, isOld, label, act, focus, back, reach }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const shapes = useRef<HTMLCanvasElement>(null);
  const marks = useRef<HTMLCanvasElement>(null);
  const spoken = useComputed(() => {
    const laid = state.laid.value;
    const i = state.currentIndex.value;
    if (!laid || i < 0) return '';
    const { name, figures, calls } = of.about(laid, i);
    return [name, ...figures.map(([word, text, share]) => `${word} ${text}, ${share}`), calls].join(', ');
  });

  useEffect(() => {
    // A panel that was closed at once has no elements any more when its effects run.
    if (!area.current || !shapes.current || !marks.current) return undefined;
    const canvases = { area: area.current, shapes: shapes.current, marks: marks.current };
    return drawFlameGraph(of, theme, state, canvases);
  }, [of, theme, state]);

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
    if (of.highlighted.peek() !== name) of.highlighted.value = -1;
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
    const hasName = id !== NO_NAME && index > 0 && of.hasMenus;
    return {
      named: hasName ? { id, text: of.names.of(id), isCalled: true } : null,
      show: null,
      own: [{ id: 'flame-focus', title: act, run: () => focusOn(index) }],
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
        aria-label={label}
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
        <FlameTooltip of={of} state={state} />
      </div>
      <div class="unseen" role="status">
        {spoken.value}
      </div>
    </div>
  );
}

function FlameTooltip({ of, state }: Pick<Props, 'of' | 'state'>) {
  const laid = state.laid.value;
  const at = state.pointer.value;
  const i = state.hovered.value;
  if (!laid || !at || i < 0) return null;
  const { name, figures, calls } = of.about(laid, i);
  return (
    <TooltipBox at={at} area={state.size.value} widest={WIDEST}>
      <p class="call">
        <b>{name}</b>
      </p>
      {figures.map(([word, text, share]) => (
        <p key={word}>
          <span class="muted">{word}</span> {text} <span class="muted">{share}</span>
        </p>
      ))}
      <p class="muted">{calls}</p>
    </TooltipBox>
  );
}
