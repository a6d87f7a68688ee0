import type { Pen } from './pen.ts';
import type { Caption } from './portrait.ts';
import { portraitSize } from './portrait.ts';
import { LABEL_FONT } from './scene.ts';
import { createVector } from './vector.ts';

/** What a picture is saved as. */
export type PictureForm = 'svg' | 'png';

/** A drawing with what is around it. */
export interface Drawn {
  /** CSS pixels of the drawing itself. */
  readonly width: number;
  readonly height: number;
  readonly caption: Caption;
  /** Draws all of it. `ratio` is in device pixels per CSS pixel. */
  readonly draw: (pen: Pen, ratio: number) => void;
}

/** Browsers have no larger canvas, in device pixels. */
const MOST_PIXELS = 16_384;
/** Shapes of a vector stand on quarters of a pixel: it can be enlarged. */
const FINE = 4;

/** The bytes of a picture. Rejects with a sentence if the browser cannot make it. */
export async function pictureFile(
  drawn: Drawn,
  kind: 'timeline' | 'flame',
  form: PictureForm,
): Promise<Uint8Array<ArrayBuffer>> {
  const [width, height] = portraitSize(kind, drawn.width, drawn.height);
  const measuring = document.createElement('canvas').getContext('2d')!;
  measuring.fontKerning = 'none';
  if (form === 'svg') {
    const vector = createVector(width, height, `${drawn.caption.title}, ${drawn.caption.about}`, measuring);
    drawn.draw(vector.pen, FINE);
    return new TextEncoder().encode(vector.text());
  }
  const ratio = Math.min(devicePixelRatio, MOST_PIXELS / width, MOST_PIXELS / height);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const pen = canvas.getContext('2d', { alpha: false })!;
  pen.scale(ratio, ratio);
  pen.font = LABEL_FONT;
  pen.fontKerning = 'none';
  drawn.draw(pen, ratio);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('The browser could not make this picture. A smaller window may help.');
  return new Uint8Array(await blob.arrayBuffer());
}
