/** CSS pixels of a small picture, and between two of them. */
export const FILM = { width: 96, height: 54, gap: 4 } as const;

/** CSS pixels that the strip takes below the frames, with a margin. */
export const FILM_PIXELS = FILM.height + 6;

/** Frames that are tried in a round. */
const MOST_TRIED = 4096;

/** A frame of the filmstrip: its number, and the CSS pixel where it begins. */
export interface FilmPlace {
  readonly frame: number;
  readonly x: number;
}

/**
 * The frames that have room for a picture, from left to right. Of close frames those whose number is a multiple of the highest power
 * of two stay, so that moving the view does not exchange them. `xOf` is the CSS pixel of a call, `end` the number of frames.
 */
export function filmPlaces(
  frames: { readonly from: Float64Array; readonly to: Float64Array },
  view: { readonly width: number; xOf(call: number): number },
): readonly FilmPlace[] {
  const { from, to } = frames;
  const count = from.length;
  const first = lowerBound(count, (i) => view.xOf(to[i] ?? 0) >= -FILM.width);
  const end = lowerBound(count, (i) => view.xOf(from[i] ?? 0) >= view.width);
  if (first >= end) return [];
  const room = FILM.width + FILM.gap;
  const span = view.xOf(from[end - 1] ?? 0) - view.xOf(from[first] ?? 0);
  const each = end - first > 1 ? span / (end - first - 1) : room;
  const stride = 2 ** Math.max(0, Math.ceil(Math.log2(room / Math.max(each, 1e-9))));
  let places: FilmPlace[] = [];
  // Frames differ in length: where few are, there is room for those of a lower power.
  for (let step = stride; step >= 1 && (end - first) / step < MOST_TRIED; step /= 2) {
    const more: FilmPlace[] = [];
    let next = 0;
    for (let frame = Math.ceil(first / step) * step; frame < end; frame += step) {
      const x = view.xOf(from[frame] ?? 0);
      while (next < places.length && places[next]!.x <= x) more.push(places[next++]!);
      const isFree = (other: FilmPlace | undefined) => !other || Math.abs(other.x - x) >= room;
      if (isFree(more.at(-1)) && isFree(places[next])) more.push({ frame, x });
    }
    places = [...more, ...places.slice(next)];
  }
  return places;
}

function lowerBound(count: number, holds: (i: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
