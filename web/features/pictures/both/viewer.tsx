import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatCount, formatShare } from '../../../base/format.ts';
import { hexOf } from '../canvas.tsx';
import { type Pixel, roomOf } from '../pixel.ts';
import type { SmallPicture } from '../protocol.ts';
import { differenceOf } from './difference.ts';
import { ALL, centred, moved, pixelIn, type Viewport, zoomed } from './viewport.ts';

/** How two pictures are shown. */
export type Mode = 'a' | 'b' | 'difference' | 'slider' | 'blink';

/** What the user has chosen about two pictures. It stays while others are looked at. */
export interface Look {
  readonly mode: Signal<Mode>;
  readonly viewport: Signal<Viewport>;
  /** Where the slider is, from 0 to 1: left of it is the first picture. */
  readonly wipe: Signal<number>;
}

/** Milliseconds that each picture is seen: fewer than three changes a second, which WCAG 2.3.1 allows. */
const BLINK_MS = 600;
/** Pictures less wide than this have their pixels as squares. */
const SMALL = 400;
/** The zoom from which a pixel is seen as one. */
const SQUARES = 3;
/** Zoom of a pixel that is looked for. */
const NEAR = 8;

interface Props {
  readonly a: SmallPicture;
  readonly b: SmallPicture;
  /** What each is called, for people and in sentences. */
  readonly marks: readonly [ComponentChildren, ComponentChildren];
  readonly names: readonly [string, string];
  readonly look: Look;
  /** The wheel zooms without Ctrl: nothing else scrolls. */
  readonly isLarge?: boolean;
  /** Their calls, if what they are of is not what is looked at: new pictures are being made. */
  readonly old?: string | undefined;
  /** Further buttons. */
  readonly tools?: ComponentChildren;
}

/** Steps of a pixel by key. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Two pictures in one window: either of them, their difference, both beside a slider, or one after the other. */
export function Viewer({ a, b, marks, names, look, old, isLarge = false, tools }: Props) {
  const { mode, viewport, wipe } = look;
  const box = useRef<HTMLDivElement>(null);
  const pointed = useSignal<Pixel | null>(null);
  const isB = useSignal(false);
  const isPaused = useSignal(matchMedia('(prefers-reduced-motion: reduce)').matches);
  const dragged = useRef<'picture' | 'slider' | null>(null);
  const difference = useMemo(() => differenceOf(a, b), [a, b]);
  const size = { width: Math.max(a.width, b.width), height: Math.max(a.height, b.height) };
  const isBlinking = mode.value === 'blink' && !isPaused.value;
  useEffect(() => {
    if (!isBlinking) return undefined;
    const timer = setInterval(() => {
      isB.value = !isB.peek();
    }, BLINK_MS);
    return () => clearInterval(timer);
  }, [isBlinking]);

  const shareOf = ({ clientX, clientY }: MouseEvent): readonly [number, number] => {
    const { left, top, width, height } = roomOf(box.current!);
    return [(clientX - left) / width, (clientY - top) / height];
  };
  const zoomAt = (by: number, [x, y]: readonly [number, number] = [0.5, 0.5]) => {
    viewport.value = zoomed(viewport.peek(), by, x, y);
  };
  const move = (event: PointerEvent) => {
    const [x, y] = shareOf(event);
    if (dragged.current === 'slider') wipe.value = Math.min(1, Math.max(0, x));
    else if (dragged.current === 'picture') {
      const { width, height } = roomOf(box.current!);
      viewport.value = moved(viewport.peek(), event.movementX / width, event.movementY / height);
    }
    pointed.value = pixelIn(viewport.peek(), x, y, size);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    const step = STEPS[key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step) {
      const at = pointed.peek() ?? { x: size.width >> 1, y: size.height >> 1 };
      const by = event.shiftKey ? 10 : 1;
      pointed.value = {
        x: Math.max(0, Math.min(size.width - 1, at.x + by * step[0])),
        y: Math.max(0, Math.min(size.height - 1, at.y + by * step[1])),
      };
    } else if (key === '+' || key === '=') zoomAt(2);
    else if (key === '-') zoomAt(0.5);
    else if (key === '0') viewport.value = ALL;
    else if (key === ' ') isB.value = !isB.peek();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const { zoom, left, top } = viewport.value;
  const shown = mode.value;
  const second = shown === 'b' || (shown === 'blink' && isB.value);
  const only = shown === 'difference' ? (difference?.picture ?? null) : second ? b : a;
  const at = pointed.value;
  const squares = size.width < SMALL || zoom >= SQUARES;
  return (
    <>
      <div
        ref={box}
        class={`both-window${squares ? ' picture-small' : ''}${old === undefined ? '' : ' picture-old'}`}
        style={{ '--ratio': size.width / size.height }}
        role="application"
        aria-label={`Pictures of ${size.width} by ${size.height} pixels: ${names[0]} and ${names[1]}`}
        aria-description="Arrow keys point at a pixel, + and - zoom, 0 shows all, space changes the picture that blinks."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys zoom and point at pixels.
        tabIndex={0}
        onKeyDown={onKeyDown}
        onWheel={(event) => {
          if (!isLarge && !event.ctrlKey) return;
          event.preventDefault();
          zoomAt(2 ** (-event.deltaY / 200), shareOf(event));
        }}
        onDblClick={(event) => {
          if (viewport.peek().zoom > 1) viewport.value = ALL;
          else zoomAt(4, shareOf(event));
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          const [x] = shareOf(event);
          const isSlider = shown === 'slider' && Math.abs(x - wipe.peek()) * roomOf(box.current!).width < 12;
          dragged.current = isSlider ? 'slider' : 'picture';
          box.current?.setPointerCapture(event.pointerId);
        }}
        onPointerMove={move}
        onPointerUp={() => {
          dragged.current = null;
        }}
        onPointerCancel={() => {
          dragged.current = null;
        }}
        onPointerLeave={() => {
          if (!dragged.current) pointed.value = null;
        }}
      >
        <div class="both-stage" style={{ transform: `translate(${100 * left}%, ${100 * top}%) scale(${zoom})` }}>
          {shown === 'slider' ? (
            <>
              <Pixels picture={b} size={size} />
              <div class="both-clip" style={{ clipPath: `inset(0 ${100 * (1 - (wipe.value - left) / zoom)}% 0 0)` }}>
                <Pixels picture={a} size={size} />
              </div>
            </>
          ) : (
            only && <Pixels picture={only} size={size} />
          )}
        </div>
        {shown === 'slider' && <div class="both-line" style={{ left: `${100 * wipe.value}%` }} />}
        {shown === 'blink' && <span class="both-label">{marks[second ? 1 : 0]}</span>}
        {shown === 'slider' && (
          <>
            <span class="both-label">{marks[0]}</span>
            <span class="both-label both-label-end">{marks[1]}</span>
          </>
        )}
      </div>
      {shown === 'slider' && (
        <input
          type="range"
          class="both-slider"
          style={{ '--ratio': size.width / size.height }}
          aria-label="Share of the first picture"
          min={0}
          max={100}
          value={Math.round(100 * wipe.value)}
          onInput={(event) => {
            wipe.value = Number(event.currentTarget.value) / 100;
          }}
        />
      )}
      <p class="muted picture-pixel rigid">
        {old !== undefined && `Still ${old} · `}
        {at ? wordsOf([a, b], names, at) : `${size.width} × ${size.height} · point at a pixel for its values`}
      </p>
      <div class="picture-tools wrap rigid">
        {shown === 'blink' && (
          <button type="button" onClick={() => (isPaused.value = !isPaused.peek())}>
            {isPaused.value ? 'Blink' : 'Pause'}
          </button>
        )}
        {shown === 'blink' && isPaused.value && (
          <button type="button" onClick={() => (isB.value = !isB.peek())}>
            Flip
          </button>
        )}
        <button type="button" aria-label="Zoom out" disabled={zoom <= 1} onClick={() => zoomAt(0.5)}>
          −
        </button>
        <button type="button" aria-label="Zoom in" onClick={() => zoomAt(2)}>
          +
        </button>
        <button type="button" disabled={zoom <= 1} onClick={() => (viewport.value = ALL)}>
          Whole
        </button>
        {tools}
      </div>
      <p role="status" class="both-figures">
        {!difference && `The pictures have other sizes: ${a.width} × ${a.height} and ${b.width} × ${b.height}.`}
        {difference?.count === 0 && 'The pictures are equal.'}
        {difference && difference.count > 0 && (
          <>
            {formatCount(difference.count)} of {formatCount(difference.of)} pixels differ (
            {formatShare(difference.count, difference.of)}), by {difference.largest} of 255 at most
            {shown === 'difference' &&
              difference.largest < 255 &&
              `, amplified ${(255 / difference.largest).toFixed(1)} times`}
            . The first of these is at{' '}
            <button
              type="button"
              class="plain link"
              title="Show this pixel"
              onClick={() => {
                viewport.value = centred(NEAR, difference.at, size);
                pointed.value = difference.at;
              }}
            >
              {difference.at.x}, {difference.at.y}
            </button>
          </>
        )}
      </p>
    </>
  );
}

/** A picture in its share of a window for pictures of `size`. */
function Pixels({ picture, size }: { picture: SmallPicture; size: { width: number; height: number } }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height, pixels } = picture;
  useEffect(() => {
    const data = new ImageData(pixels as Uint8ClampedArray<ArrayBuffer>, width, height);
    canvas.current?.getContext('2d')?.putImageData(data, 0, 0);
  }, [picture]);
  const style = { width: `${(100 * width) / size.width}%`, height: `${(100 * height) / size.height}%` };
  return <canvas ref={canvas} class="both-canvas" width={width} height={height} style={style} />;
}

/** The values of a pixel in both, and by how much they differ. */
function wordsOf(pictures: readonly SmallPicture[], names: readonly string[], { x, y }: Pixel): string {
  const [a, b] = pictures.map(({ width, height, pixels }) =>
    x < width && y < height ? [...pixels.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)] : null,
  );
  const text = (channels: readonly number[] | null | undefined) =>
    channels ? `${hexOf(channels)}${channels[3] === 255 ? '' : ` alpha ${channels[3]}`}` : 'none';
  const by = a && b ? a.map((value, c) => Math.abs(value - b[c]!)) : [];
  const most = Math.max(0, ...by);
  const how = !a || !b ? '' : most === 0 ? ' · equal' : ` · differs by ${most}`;
  return `${x}, ${y}: ${names[0]} ${text(a)} · ${names[1]} ${text(b)}${how}`;
}
