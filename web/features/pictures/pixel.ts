/** A pixel of a picture, counted from the top left. */
export interface Pixel {
  readonly x: number;
  readonly y: number;
}

/** Where a picture is shown, in CSS pixels: the room inside of the border, which it fills as far as its proportions allow. */
export interface Room {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The room of an element, which may begin at a fraction of a pixel, and whose border may be one wide. */
export function roomOf(element: HTMLElement): Room {
  const { left, top, width, height } = element.getBoundingClientRect();
  const border = Number.parseFloat(getComputedStyle(element).borderLeftWidth) || 0;
  return { left: left + border, top: top + border, width: width - 2 * border, height: height - 2 * border };
}

/** The pixel of a picture of `width` × `height` at a place of the window, in CSS pixels; null beside the picture. */
export function pixelAt(
  room: Room,
  { width, height }: { readonly width: number; readonly height: number },
  at: { readonly clientX: number; readonly clientY: number },
): Pixel | null {
  const scale = Math.min(room.width / width, room.height / height);
  const x = Math.floor((at.clientX - room.left - (room.width - width * scale) / 2) / scale);
  const y = Math.floor((at.clientY - room.top - (room.height - height * scale) / 2) / scale);
  return x < 0 || y < 0 || x >= width || y >= height ? null : { x, y };
}
