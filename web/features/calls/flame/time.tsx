import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { TimeOrder } from '../../../base/calls_protocol.ts';
import { formatLength, formatPercent, formatPosition } from '../../../base/format.ts';
import { type Clock, MANY } from '../../../base/protocol.ts';
import type { PanelProps } from '../../../page/page.ts';
import { useDrawingMenu } from '../../../parts/menu/row_menu.ts';
import { TooltipBox } from '../../../parts/tooltip.tsx';
import { createMarksCanvas, createSurface, type FrameSize } from '../../../timeline/canvas/surface.ts';
import { FLAME_ROW, type FlameStep } from '../../../timeline/flame.ts';
import { noneOf } from '../../../timeline/none.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { createCanvas2d } from '../../../timeline/render/canvas2d.ts';
import { paletteFor } from '../../../timeline/render/palette.ts';
import { drawTime, drawTimeMarks } from '../../../timeline/render/time_order.ts';
import { callAt, extentOfRect, layOutTime, rectAtTime, rowOfRect, timeStep } from '../../../timeline/time_order.ts';
import { pointedOf } from '../../../trace/pointed.ts';
import type { Calls } from '../calls.ts';

/** CSS pixels next to a rectangle within which the pointer still hits it. */
const SLACK = 2;
const WIDEST = 360;
const STEPS: Readonly<Record<string, FlameStep>> = {
  ArrowUp: 'caller',
  ArrowDown: 'callee',
  ArrowLeft: 'previous',
  ArrowRight: 'next',
};

interface Props extends PanelProps {
  readonly open: OpenTrace;
  readonly calls: Calls;
  readonly clock: Clock;
  /** Name id of the rectangle that the keyboard cursor or a click has reached; -1 for none. */
  readonly reach: (name: number) => void;
}

/** The calls of the range in the order of time, as the changes of call paths leave them. */
export function TimeOrderView({ open, theme, calls, clock, reach }: Props) {
  const time = calls.time.value;
  if (open.trace.status.value.at === 'loading') {
    return <p class="panel-note muted">Calls are shown in time order once the file has been read.</p>;
  }
  if (!time) return null;
  if (time.at === 'failed') return <p class="panel-note muted">{time.sentence}</p>;
  if (time.at === 'making') {
    const { progress } = time;
    return (
      <p class="panel-note muted">{progress ? `Drawing… ${formatPercent(progress.done, progress.of)}` : 'Drawing…'}</p>
    );
  }
  if (time.picture.length === 0) {
    return (
      <p class="panel-note muted">
        {calls.changes.value.length > 0 ? 'No call path is left after these changes.' : noneOf(open, 'call')}
      </p>
    );
  }
  return <Canvas open={open} theme={theme} picture={time.picture} clock={clock} reach={reach} />;
}

interface CanvasProps extends PanelProps {
  readonly open: OpenTrace;
  readonly picture: TimeOrder;
  readonly clock: Clock;
  readonly reach: (name: number) => void;
}

function Canvas({ open, theme, picture, clock, reach }: CanvasProps) {
  const { trace, statistics, selection } = open;
  const laid = useMemo(() => layOutTime(picture), [picture]);
  const scroller = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const shapes = useRef<HTMLCanvasElement>(null);
  const marks = useRef<HTMLCanvasElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  const scrollTop = useSignal(0);
  const pointer = useSignal<{ x: number; y: number } | null>(null);
  const current = useSignal(-1);
  const shown = useSignal(laid);
  useLayoutEffect(() => {
    shown.value = laid;
    current.value = -1;
  }, [laid]);
  const hovered = useComputed(() => {
    const at = pointer.value;
    const { width } = size.value;
    if (!at || width === 0) return -1;
    return rectAtTime(shown.value, Math.floor((at.y + scrollTop.value) / FLAME_ROW), at.x / width, SLACK / width);
  });
  const trackName = (track: number) => trace.tracks.value.get(track)?.name ?? '';

  useEffect(() => {
    if (!area.current || !shapes.current || !marks.current) return undefined;
    const renderer = createCanvas2d(shapes.current);
    const above = createMarksCanvas(marks.current);
    const draw = (frame: FrameSize) => {
      const { width, height, ratio } = frame;
      if (width === 0 || height === 0) return;
      renderer.resize(width, height, ratio);
      above.begin(frame);
      const highlighted = statistics.highlighted.peek();
      const scene = {
        laid: shown.peek(),
        width,
        height,
        names: trace.names,
        palette: paletteFor(theme.theme.peek(), highlighted),
        scrollTop: scrollTop.peek(),
        lifted: highlighted < 0 ? (shown.peek().columns.name[hovered.peek()] ?? -1) : highlighted,
        current: current.peek(),
        trackName: (track: number) => trace.tracks.peek().get(track)?.name ?? '',
      };
      drawTime(renderer, scene);
      drawTimeMarks(above.context, above.fitter, scene);
    };
    const signals = [shown, scrollTop, hovered, current, theme.theme, statistics.highlighted, trace.names.version];
    const surface = createSurface({
      element: area.current,
      signals,
      resized: (width, height) => {
        size.value = { width, height };
      },
      draw,
    });
    return () => {
      surface.dispose();
      renderer.dispose();
    };
  }, [open, theme]);

  const reachRect = (i: number) => reach(i < 0 ? -1 : laid.columns.name[i]!);
  const select = async (i: number) => {
    const item = callAt(laid, i);
    if (!item) return;
    const before = selection.selected.peek();
    const told = (await trace.details(item))?.details;
    // A selection made in the meantime takes precedence.
    if (!told || selection.selected.peek() !== before) return;
    const { name, start, end, flags } = told;
    selection.reveal(pointedOf({ item, name, start, end, flags }));
  };
  const zoom = (i: number) => {
    const extent = i >= 0 ? extentOfRect(laid.columns, i) : null;
    if (extent && extent.to > extent.from) statistics.range.value = extent;
  };
  const go = (step: FlameStep) => {
    const first = laid.rows.find((row) => row.first !== undefined)?.first ?? -1;
    const to = current.peek() < 0 ? first : timeStep(laid, current.peek(), step);
    current.value = to;
    reachRect(to);
    const box = scroller.current!;
    const top = rowOfRect(laid, to) * FLAME_ROW;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + FLAME_ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + FLAME_ROW - box.clientHeight;
  };
  const onMenu = useDrawingMenu((_, byKey) => {
    const at = byKey ? current.peek() : hovered.peek();
    if (at < 0 || at >= laid.columns.length) return null;
    const id = laid.columns.name[at]!;
    return {
      named: { id, text: trace.names.of(id), isCalled: true },
      // A rectangle that stands for several calls is not one of them.
      show: laid.columns.index[at] === MANY ? null : () => void select(at),
      own: [{ id: 'flame-zoom', title: 'Set range to this', run: () => zoom(at) }],
    };
  });
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    const at = current.peek();
    if (step) go(step);
    else if (event.key === 'Enter' && at >= 0) {
      if (laid.columns.index[at] === MANY) zoom(at);
      else void select(at);
    } else if (event.key === 'z' && at >= 0) zoom(at);
    else if (event.key === 'Escape' && at >= 0) {
      current.value = -1;
      reachRect(-1);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const describe = (i: number) => {
    const { from, to } = extentOfRect(laid.columns, i);
    const origin = trace.progress.value.extent?.from ?? from;
    const name = trace.names.of(laid.columns.name[i]!);
    return {
      name: laid.columns.index[i] === MANY ? `Several, mostly ${name}` : name,
      length: formatLength(to - from, clock),
      at: formatPosition(from, origin, clock),
      track: trackName(laid.columns.track[i]!),
    };
  };
  const spoken = current.value >= 0 && current.value < laid.columns.length ? describe(current.value) : null;
  const over = hovered.value >= 0 && pointer.value ? describe(hovered.value) : null;
  return (
    <div
      class="flame-scroller grow"
      ref={scroller}
      onScroll={(event) => {
        scrollTop.value = event.currentTarget.scrollTop;
      }}
    >
      <div class="flame-sizer" style={{ height: `${laid.rows.length * FLAME_ROW + 4}px` }} />
      <div
        ref={area}
        class="flame-area"
        role="application"
        aria-roledescription="flame graph"
        aria-label="Calls in time order. Arrows go to callers, callees and neighbours, Enter selects a call, Z selects its range."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys.
        tabIndex={0}
        onKeyDown={onKey}
        onContextMenu={onMenu}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          pointer.value = { x: event.clientX - box.left, y: event.clientY - box.top };
        }}
        onPointerLeave={() => {
          pointer.value = null;
        }}
        onClick={() => {
          current.value = hovered.peek();
          reachRect(hovered.peek());
          void select(hovered.peek());
        }}
        onDblClick={() => zoom(hovered.peek())}
      >
        <canvas ref={shapes} />
        <canvas ref={marks} />
        {over && pointer.value && (
          <TooltipBox at={pointer.value} area={size.value} widest={WIDEST}>
            <p class="call">
              <b>{over.name}</b>
            </p>
            <p>
              {over.length} <span class="muted">at {over.at}</span>
            </p>
            <p class="muted">{over.track}</p>
          </TooltipBox>
        )}
      </div>
      <div class="unseen" role="status">
        {spoken ? `${spoken.name}, ${spoken.length}, at ${spoken.at}` : ''}
      </div>
    </div>
  );
}
