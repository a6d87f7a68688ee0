import { formatBytes, formatCount, formatCounted } from '../base/format.ts';
import { FIGURES, type Figure, type FrameColumns, type Measure } from '../base/survey_protocol.ts';
import { ticks } from '../base/ticks.ts';
import { MEASURE_TITLES, measuredText } from '../trace/call_times.ts';
import { pointedOf } from '../trace/pointed.ts';
import type { Tracks } from '../trace/tracks.ts';
import type { Extent } from '../trace/view.ts';
import { framesTrack } from './frames_track.ts';
import { goToPosition, type Place, selectPosition } from './go_to.ts';

/** What a frame is sorted by. */
export type FrameOrder = 'frame' | Figure | Measure;

/** A figure or a measure with its titles. */
export interface FigureTitle {
  readonly figure: Figure | Measure;
  readonly title: string;
  readonly says: string;
  /** What it counts, where that is not a number of things. */
  readonly unit: 'bytes' | 'ns' | '';
  /** A value as text that fits a narrow column. */
  readonly text: (value: number) => string;
}

const title = (figure: Figure, title: string, says: string, isBytes = false): FigureTitle => ({
  figure,
  title,
  says,
  unit: isBytes ? 'bytes' : '',
  // In words, a few bytes would not fit.
  text: isBytes ? (value) => (value < 1000 ? `${value} B` : formatBytes(value)) : formatCount,
});

const MEASURED: readonly FigureTitle[] = MEASURE_TITLES.map(({ measure, title, name }) => ({
  figure: measure,
  title,
  says: `${name} in the replay, of the calls in the profile`,
  unit: measure === 'pixels' ? '' : 'ns',
  text: (value) => measuredText(measure, value),
}));

/** The figures, in the order of their columns. */
export const FIGURE_TITLES: readonly FigureTitle[] = [
  ...MEASURED,
  title('calls', 'Calls', 'Calls that return in the frame, on all threads'),
  title('draws', 'Draws', 'Calls that submit geometry or pixels, without clears'),
  title('clears', 'Clears', 'Calls that clear a framebuffer'),
  title('vertices', 'Vertices', 'Vertices of all draws, instances included'),
  title('uncounted', 'Unknown', 'Draws whose vertex count is not in the trace, such as indirect ones'),
  title('stateChanges', 'State', 'Calls that set state of the context or of objects'),
  title('redundant', 'Redundant', 'State changes that repeat what an earlier call of the context set'),
  title('programSwitches', 'Programs', 'Switches to another program'),
  title('errors', 'Errors', 'Errors that glGetError returned'),
  title(
    'uploaded',
    'Uploaded',
    'Bytes that calls hand over: of textures, buffers, client arrays, shaders and pixels',
    true,
  ),
  title('textureBytes', 'Textures', 'Bytes uploaded to textures', true),
  title('bufferBytes', 'Buffers', 'Bytes uploaded to buffers, or written while they were mapped', true),
  title('clientBytes', 'Client', 'Bytes of vertices and indices that are not in a buffer', true),
  title('shaderBytes', 'Shaders', 'Bytes of shaders and programs', true),
  title('pixelBytes', 'Pixels', 'Bytes drawn without a texture', true),
];

/** The figures that are not 0 in all frames, and those that everyone looks for. */
export function tellingFigures({ figures }: FrameColumns): readonly FigureTitle[] {
  const always: readonly FigureTitle['figure'][] = [
    'calls',
    'draws',
    'vertices',
    'stateChanges',
    'redundant',
    'uploaded',
  ];
  return FIGURE_TITLES.filter(({ figure }) => always.includes(figure) || figures[figure].some((it) => it > 0));
}

/** Frames by their numbers, `to` exclusive. */
export interface FrameSpan {
  readonly from: number;
  readonly to: number;
}

/** The frames that have a call in a range; all without one. */
export function framesIn(frames: FrameColumns, range: Extent | null): FrameSpan {
  const { count, first } = frames;
  if (!range || count === 0) return { from: 0, to: count };
  let from = frameOf(frames, Number(range.from));
  if (frames.last[from]! < Number(range.from)) from = count;
  let to = from;
  while (to < count && first[to]! < Number(range.to)) to += 1;
  return { from, to };
}

/** Numbers of some frames in an order. Equal ones stay in the order of frames. */
export function orderOf(
  { figures }: FrameColumns,
  by: FrameOrder,
  descending: boolean,
  { from, to }: FrameSpan,
): Uint32Array {
  const order = Uint32Array.from({ length: to - from }, (_, i) => from + i);
  const sign = descending ? -1 : 1;
  if (by === 'frame') return descending ? order.reverse() : order;
  // What was not measured is less than anything that was.
  const key = (frame: number) => (Number.isNaN(figures[by][frame]) ? -1 : figures[by][frame]!);
  return order.sort((a, b) => sign * (key(a) - key(b)) || a - b);
}

/** The one of some frames, or of all, with the greatest number. Of several, the first. -1 if all are 0, or not measured. */
export function heaviest({ count, figures }: FrameColumns, by: Figure | Measure, span?: FrameSpan): number {
  const { from, to } = span ?? { from: 0, to: count };
  const values = figures[by];
  let best = -1;
  for (let i = from; i < to; i += 1) if (values[i]! > (best < 0 ? 0 : values[best]!)) best = i;
  return best;
}

/** The greatest number of some frames, or of all, at least 0. */
export function greatest(frames: FrameColumns, by: Figure | Measure, span?: FrameSpan): number {
  return frames.figures[by][heaviest(frames, by, span)] ?? 0;
}

/** How many frames there are, and their numbers: `508 frames, 0–507`. */
export function framesText({ from, to }: FrameSpan): string {
  const counted = formatCounted(to - from, 'frame');
  if (to - from > 1) return `${counted}, ${formatCount(from)}–${formatCount(to - 1)}`;
  return to - from === 1 && from > 0 ? `${counted}, ${formatCount(from)}` : counted;
}

/** A frame among all: `Frame 5 of 0–507`. Frames have numbers from 0, as on the timeline. */
export function frameText(frame: number, count: number): string {
  return count > 1 ? `Frame ${formatCount(frame)} of ${numbersOf(count)}` : `Frame ${formatCount(frame)}`;
}

function numbersOf(count: number): string {
  return `0–${formatCount(count - 1)}`;
}

/** The number of the frame of a call. */
export function frameOf({ count, last }: FrameColumns, call: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (last[middle]! < call) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, count - 1);
}

/** Sums of all figures of some frames, or of all. */
export function sumsOf({ figures }: FrameColumns, span?: FrameSpan): Readonly<Record<Figure, number>> {
  const sums = {} as Record<Figure, number>;
  for (const figure of FIGURES)
    sums[figure] = figures[figure].subarray(span?.from, span?.to).reduce((sum, one) => sum + one, 0);
  return sums;
}

/** The locator of a frame: bit 63 and its number (`Located` of `crate/formats/src/apitrace`). */
export function frameLocator(frame: number): bigint {
  return (1n << 63n) | BigInt(frame);
}

/** Selects a frame on the timeline, and shows it: its slice, or its first call if no call ends it. */
export async function goToFrame(
  { first, last }: FrameColumns,
  frame: number,
  place: Place & { readonly trace: { readonly tracks: { peek(): Tracks } } },
): Promise<void> {
  const { trace, timeline, selection } = place;
  const from = BigInt(first[frame]!);
  const track = framesTrack(trace.tracks.peek());
  const found =
    track === null ? null : await trace.find({ to: 'record', time: ticks(from), track, locator: frameLocator(frame) });
  if (!found) return goToPosition(ticks(from), place);
  const length = BigInt(last[frame]!) - from + 1n;
  const extent = trace.progress.peek().extent;
  const margin = length / 4n + 1n;
  const clamp = (at: bigint) => (extent && at < extent.from ? extent.from : extent && at > extent.to ? extent.to : at);
  timeline.show({ from: ticks(clamp(from - margin)), to: ticks(clamp(from + length + margin)) }, 'gliding', 0.02);
  selection.selected.value = pointedOf(found);
  selection.revealRow();
}

/** Selects the frame that a call is in, and brings it into view where that is elsewhere: the call itself if no call ends its frame. */
export async function selectFrameAt(
  call: number,
  open: Parameters<typeof selectPosition>[1] & { readonly trace: { readonly tracks: { peek(): Tracks } } },
): Promise<void> {
  const track = framesTrack(open.trace.tracks.peek());
  const time = ticks(BigInt(call));
  const found = track === null ? null : await open.trace.find({ to: 'at', time, track });
  if (found && found.item.track === track) open.selection.reveal(pointedOf(found));
  else await selectPosition(time, open);
}
