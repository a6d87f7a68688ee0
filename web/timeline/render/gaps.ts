import { type Extent, toPixel, type View } from '../../trace/view.ts';
import { gapsOf } from '../gaps.ts';
import type { LaidTrack } from '../layout.ts';
import type { Pen } from './pen.ts';

/** CSS pixels between the lines of a hatching, and of the narrowest one. */
const APART = 6;
const NARROWEST = 3;

/** Hatches the intervals of a track in which records are missing, over all of its rows. `y` is the top of the track. */
export function drawGaps(
  context: Pen,
  laid: LaidTrack,
  y: number,
  { view, extent, width, colour }: { view: View; extent: Extent; width: number; colour: string },
): void {
  if (!laid.track.gaps?.length) return;
  const top = y + laid.slices;
  const height = Math.max(laid.rows * laid.rowHeight, Math.min(laid.rowHeight, laid.height - laid.slices)) - 1;
  for (const { from, to } of gapsOf(laid.track, extent)) {
    const left = Math.max(0, toPixel(view, from));
    const right = Math.min(width, Math.max(toPixel(view, to), toPixel(view, from) + NARROWEST));
    if (right <= left) continue;
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, height);
    context.clip();
    context.beginPath();
    // Lines go through fixed places of the screen, so those of several rows are in line.
    const first = Math.floor((left - height) / APART) * APART;
    for (let x = first; x < right; x += APART) {
      context.moveTo(x, top + height);
      context.lineTo(x + height, top);
    }
    context.strokeStyle = colour;
    context.globalAlpha = 0.45;
    context.lineWidth = 1;
    context.stroke();
    context.restore();
  }
}
