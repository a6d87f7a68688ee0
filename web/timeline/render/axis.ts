import { formatReading, graphRange } from '../../trace/tracks.ts';
import type { LaidTrack } from '../layout.ts';
import type { Palette } from './palette.ts';
import type { Pen } from './pen.ts';
import { scaled, unscaled } from './scale.ts';

/** CSS pixels of the lowest graph with an axis. */
const LEAST = 34;
/** CSS pixels between two labels. */
const BETWEEN = 30;
const TEXT = 10;
const LEFT = 3;

/** Labels a graph with the values at its bottom, its top, and at steps between them where there is room. */
export function drawAxis(context: Pen, laid: LaidTrack, y: number, palette: Palette): void {
  const { track, graphHeight } = laid;
  if (graphHeight < LEAST) return;
  const { lowest, highest } = graphRange(track);
  const log = track.look?.log ?? false;
  const steps = highest > lowest ? Math.max(1, Math.floor((graphHeight - TEXT) / BETWEEN)) : 0;
  const font = context.font;
  context.font = font.replace(/\d+(?:\.\d+)?px/, `${TEXT}px`);
  for (let i = 0; i <= steps; i += 1) {
    const share = steps === 0 ? 1 : i / steps;
    // The ends are exact, also beyond what a double can hold.
    const exact = track.exactRange?.[share === 1 ? 1 : 0];
    const isEnd = share === 1 || (share === 0 && lowest === track.lowestValue);
    const value = unscaled(scaled(lowest, log) + share * (scaled(highest, log) - scaled(lowest, log)), log);
    const between = track.values === 'float' ? value : Math.round(value);
    const shown = isEnd ? (exact ?? (share === 1 ? highest : lowest)) : share === 0 ? lowest : between;
    const own = formatReading(shown, track);
    const [negative, positive] = track.infinite ?? [false, false];
    // An infinity is drawn at the end of the scale, which the finite values make.
    const beyond =
      share === 1 ? positive && Number.POSITIVE_INFINITY : share === 0 && negative && Number.NEGATIVE_INFINITY;
    const text = beyond ? `${own}, ${formatReading(beyond, track)}` : own;
    const at = y + laid.graph + (1 - share) * (graphHeight - TEXT) + TEXT / 2;
    // The line of the graph must not make the label unreadable.
    context.globalAlpha = 0.75;
    context.fillStyle = palette.background;
    context.fillRect(LEFT - 2, at - TEXT / 2, context.measureText(text).width + 4, TEXT);
    context.globalAlpha = 1;
    context.fillStyle = palette.muted;
    context.fillText(text, LEFT, at + 0.5);
  }
  context.font = font;
}
