import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { saveBlob } from '../../trace/save_blob.ts';
import type { PictureNames } from './pictured_calls.ts';
import { type Pixel, pixelAt, roomOf } from './pixel.ts';
import type { Picture } from './protocol.ts';

/** CSS pixels, about the width of the pane: smaller pictures are shown larger, with their pixels as squares. */
const SMALL = 400;

interface Props extends PictureNames {
  readonly picture: Picture;
  readonly enlarge?: () => void;
  /** Further buttons. */
  readonly tools?: ComponentChildren;
  /** A pixel was chosen, counted from the top left. None is of a picture that is not looked at. */
  readonly choose: (x: number, y: number) => void;
}

/** Steps of a pixel by key. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Pixels of a picture on a canvas, with the one under the pointer in words. A click, or Enter, chooses it. */
export function Canvas({ picture, old, file, enlarge, tools, choose: act }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const pointed = useSignal<Pixel | null>(null);
  /** Where the pointer was released. Browsers round the place of a click, so that it would be another pixel than the words say. */
  const released = useRef<Pixel | null>(null);
  const { width, height, pixels } = picture;
  const choose: Props['choose'] = (x, y) => old === undefined && act(x, y);
  useEffect(() => {
    canvas.current?.getContext('2d')?.putImageData(new ImageData(pixels, width, height), 0, 0);
  }, [picture]);
  const point = (event: PointerEvent) => {
    pointed.value = pixelAt(roomOf(canvas.current!), picture, event);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = pointed.peek() ?? { x: width >> 1, y: height >> 1 };
    const step = STEPS[event.key];
    if (event.key === 'Enter') choose(at.x, at.y);
    else if (!step) return;
    event.preventDefault();
    const [right, down] = step ?? [0, 0];
    const by = event.shiftKey ? 10 : 1;
    pointed.value = {
      x: Math.max(0, Math.min(width - 1, at.x + by * right)),
      y: Math.max(0, Math.min(height - 1, at.y + by * down)),
    };
  };
  const save = () => {
    canvas.current?.toBlob((blob) => {
      if (blob) saveBlob(blob, file);
    });
  };
  return (
    <>
      <canvas
        ref={canvas}
        class={`picture-canvas rigid${width < SMALL ? ' picture-small' : ''}${old === undefined ? '' : ' picture-old'}`}
        width={width}
        height={height}
        role="img"
        aria-label={`Picture of ${width} by ${height} pixels`}
        aria-description="Arrow keys point at a pixel. Enter lists the draws that touched it."
        tabIndex={0}
        onPointerMove={point}
        onPointerUp={(event) => {
          point(event);
          released.current = pointed.peek();
        }}
        onPointerLeave={() => {
          pointed.value = null;
        }}
        onClick={() => {
          const at = released.current;
          released.current = null;
          if (at) choose(at.x, at.y);
        }}
        onKeyDown={onKeyDown}
      />
      <p class="muted picture-pixel rigid">
        {old !== undefined && `Still ${old} · `}
        {pointed.value
          ? wordsOf(picture, pointed.value)
          : `${width} × ${height}${old === undefined ? ' · click a pixel for its draws' : ''}`}
      </p>
      <div class="picture-tools wrap rigid">
        {enlarge && (
          <button type="button" onClick={enlarge}>
            Enlarge
          </button>
        )}
        <button type="button" onClick={save}>
          Save PNG
        </button>
        {tools}
      </div>
    </>
  );
}

function wordsOf({ width, pixels }: Picture, { x, y }: Pixel): string {
  const at = 4 * (y * width + x);
  const [r, g, b, a] = pixels.subarray(at, at + 4);
  return `${x}, ${y}: ${hexOf([r ?? 0, g ?? 0, b ?? 0])} · ${r} ${g} ${b} · alpha ${a}`;
}

/** A colour as in CSS, from its first three channels. */
export function hexOf(channels: readonly number[]): string {
  const digits = channels.slice(0, 3).map((value) => value.toString(16).padStart(2, '0'));
  return `#${digits.join('')}`;
}

/** A picture over the whole page. Escape closes it. */
export function Enlarged({
  picture,
  old,
  file,
  title,
  note,
  close,
  choose,
}: Props & { title: string; note: ComponentChildren; close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="picture-large" aria-label={title} onClose={close}>
      <div class="picture-large-head">
        <h2>{title}</h2>
        {note}
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      <Canvas
        {...{ picture, old, file }}
        choose={(x, y) => {
          dialog.current?.close();
          choose(x, y);
        }}
      />
    </dialog>
  );
}
