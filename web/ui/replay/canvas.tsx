import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Picture } from '../../base/replay_protocol.ts';

/** CSS pixels, about the width of the pane: smaller pictures are shown larger, with their pixels as squares. */
const SMALL = 400;

/** Pixels of a picture on a canvas, with the one under the pointer in words. */
export function Canvas({ picture, enlarge }: { picture: Picture; enlarge?: () => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const pointed = useSignal('');
  const { width, height, pixels } = picture;
  useEffect(() => {
    canvas.current?.getContext('2d')?.putImageData(new ImageData(pixels, width, height), 0, 0);
  }, [picture]);
  const point = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const x = Math.floor(((event.clientX - box.left) / box.width) * width);
    const y = Math.floor(((event.clientY - box.top) / box.height) * height);
    if (x < 0 || y < 0 || x >= width || y >= height) return;
    const at = 4 * (y * width + x);
    const [r, g, b, a] = pixels.subarray(at, at + 4);
    const hex = [r, g, b].map((value = 0) => value.toString(16).padStart(2, '0')).join('');
    pointed.value = `${x}, ${y}: #${hex} · ${r} ${g} ${b} · alpha ${a}`;
  };
  const save = () => {
    canvas.current?.toBlob((blob) => {
      if (!blob) return;
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = 'picture.png';
      link.click();
      URL.revokeObjectURL(link.href);
    });
  };
  return (
    <>
      <canvas
        ref={canvas}
        class={width < SMALL ? 'picture-canvas picture-small' : 'picture-canvas'}
        width={width}
        height={height}
        role="img"
        aria-label={`Picture of ${width} by ${height} pixels`}
        onPointerMove={point}
        onPointerLeave={() => {
          pointed.value = '';
        }}
      />
      <div class="picture-tools">
        <span class="muted picture-pixel">{pointed.value || `${width} × ${height}`}</span>
        {enlarge && (
          <button type="button" onClick={enlarge}>
            Enlarge
          </button>
        )}
        <button type="button" onClick={save}>
          Save PNG
        </button>
      </div>
    </>
  );
}

/** A picture over the whole page. Escape closes it. */
export function Enlarged({ picture, title, close }: { picture: Picture; title: string; close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="picture-large" aria-label={title} onClose={close}>
      <div class="picture-large-head">
        <h2>{title}</h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      <Canvas picture={picture} />
    </dialog>
  );
}
