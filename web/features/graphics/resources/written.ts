import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ResourceEvents, TexturePixels } from '../../../base/survey_protocol.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { type WrittenAsked, type WrittenFound, type WrittenImage, writtenOf } from '../../../trace/written.ts';

/** Milliseconds before something is replayed for what is shown: the user may be walking along calls. */
const PAUSE_MS = 120;

/** The latest call up to `call` by which the graphics processor wrote to a resource, as far as events tell. null without one. */
export function writtenBefore(events: ResourceEvents | null, call: number): number | null {
  const at = events?.calls.findLastIndex((it, i) => it <= call && events.what[i] === 'written') ?? -1;
  return events?.calls[at] ?? null;
}

/**
 * What the replay finds of an object, with null for `asked` while nothing is wanted. null until then, and where nothing replays the trace.
 */
export function useWritten(open: OpenTrace, asked: WrittenAsked | null): ReadonlySignal<WrittenFound | null> {
  const found = useSignal<WrittenFound | null>(null);
  const find = writtenOf(open).value;
  const key = asked && JSON.stringify(asked);
  useEffect(() => {
    found.value = null;
    if (!find || key === null) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      void find(JSON.parse(key) as WrittenAsked).then((answer) => {
        if (isCurrent) found.value = answer;
      });
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [find, key]);
  return found;
}

/** An image as pixels, like `pixels` of the survey. `mask` has a bit for each channel; without a range, the usual one is black to white. */
export function pixelsOf(image: WrittenImage, mask: number, range: readonly [number, number] | null): TexturePixels {
  const { width, height, channels, isInteger, values, perPixel } = image;
  const wanted = channels.filter((_, i) => (mask >> i) & 1);
  const shownPlaces = wanted.map(([, place]) => place);
  const scaledPlaces = placesOfRange(wanted.length > 0 ? wanted : channels);
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i += perPixel) {
    for (const place of scaledPlaces) {
      const value = values[i + place]!;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  if (least > most) [least, most] = [0, 1];
  const [low, high] = range ?? (isInteger ? [least, most] : [0, 1]);
  const scale = high > low ? 255 / (high - low) : 0;
  const grey = shownPlaces.length === 1 ? shownPlaces[0]! : null;
  const pixels = new Uint8Array(4 * width * height);
  const shown = new Uint8ClampedArray(pixels.buffer);
  for (let i = 0; i < width * height; i += 1) {
    const of = (at: number) => (values[perPixel * i + at]! - low) * scale;
    for (let c = 0; c < 3; c += 1) shown[4 * i + c] = grey !== null ? of(grey) : shownPlaces.includes(c) ? of(c) : 0;
    shown[4 * i + 3] = grey === null && shownPlaces.includes(3) ? of(3) : 255;
  }
  return { pixels, low, high, least, most, isKnown: true };
}

/**
 * The places of the numbers that the range from black to white is that of, as `Base::ranged` in `crate/gl`: neither opacity nor stencil values
 * are on the scale of what is beside them.
 */
function placesOfRange(channels: WrittenImage['channels']): readonly number[] {
  const isApart = (name: string) => name === 'A' || name === 'Stencil';
  const isAlone = channels.every(([name]) => isApart(name));
  return channels.filter(([name]) => isAlone || !isApart(name)).map(([, place]) => place);
}

/** The numbers of a pixel, counted from the lower left; none outside. */
export function texelOf({ width, height, values, perPixel }: WrittenImage, x: number, y: number): ArrayLike<number> {
  if (x < 0 || y < 0 || x >= width || y >= height) return [];
  const at = perPixel * (y * width + x);
  return values.subarray(at, at + perPixel);
}
