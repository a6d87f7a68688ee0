import { formatCounted, formatLength, formatPercent, formatPosition } from '../../base/format.ts';
import type { Page } from '../../page/page.ts';
import { FLAME_ROW, layOutFlame } from '../../timeline/flame.ts';
import { shownMarks } from '../../timeline/marked.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { FlameScene } from '../../timeline/render/flame.ts';
import { paletteFor } from '../../timeline/render/palette.ts';
import type { Pen } from '../../timeline/render/pen.ts';
import { type Caption, drawFlamePortrait, drawTimelinePortrait, portraitSize } from '../../timeline/render/portrait.ts';
import { LABEL_FONT, type Scene } from '../../timeline/render/scene.ts';
import { createVector } from '../../timeline/render/vector.ts';
import { ruler } from '../../timeline/ruler.ts';
import { rowsToDraw } from '../../timeline/timeline.ts';
import { NANOSECONDS } from '../../trace/call_times.ts';
import { questionOf } from '../../trace/picture.ts';
import type { Sink } from '../../trace/save_file.ts';
import { allName } from '../../trace/statistics.ts';
import { type Extent, extentLength, fitted, type View } from '../../trace/view.ts';
import type { ExportScope } from './export.ts';

/** What a picture is of, and as what it is saved. */
export interface PictureKind {
  readonly of: 'timeline' | 'flame';
  readonly as: 'svg' | 'png';
}

/** CSS pixels of a picture of all tracks: browsers have no larger canvas than 16,384 device pixels. */
const TALLEST = 4000;
const MOST_PIXELS = 16_384;
/** Shapes of a vector stand on quarters of a pixel: it can be enlarged. */
const FINE = 4;

/**
 * Saves a picture of the timeline or of the flame graph. Without a range it shows what is on the screen, else the range, with all
 * tracks. Throws a sentence if there is nothing to show.
 */
export async function savePicture(
  open: OpenTrace,
  page: Page,
  kind: PictureKind,
  scope: ExportScope,
  sink: Sink,
): Promise<number> {
  const drawn = kind.of === 'timeline' ? await timelineOf(open, page, scope) : flameOf(open, page);
  if (!drawn) throw new Error('There is nothing to show.');
  const [width, height] = portraitSize(kind.of, drawn.width, drawn.height);
  const measuring = document.createElement('canvas').getContext('2d')!;
  measuring.fontKerning = 'none';
  let bytes: Uint8Array<ArrayBuffer>;
  if (kind.as === 'svg') {
    const vector = createVector(width, height, `${drawn.caption.title}, ${drawn.caption.about}`, measuring);
    drawn.draw(vector.pen, FINE);
    bytes = new TextEncoder().encode(vector.text());
  } else {
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
    bytes = new Uint8Array(await blob.arrayBuffer());
  }
  await sink.write(bytes);
  return bytes.length;
}

interface Drawn {
  readonly width: number;
  readonly height: number;
  readonly caption: Caption;
  readonly draw: (pen: Pen, ratio: number) => void;
}

async function timelineOf(open: OpenTrace, page: Page, scope: ExportScope): Promise<Drawn | null> {
  const { trace, timeline, selection, statistics } = open;
  const info = trace.info.peek();
  const { extent } = trace.progress.peek();
  const { width, height: shown } = timeline.size.peek();
  const layout = timeline.layout.peek();
  const now = timeline.view.peek();
  if (!info || !extent || !now || width === 0) return null;
  const view: View = scope.range ? fitted(scope.range, width, 0) : now;
  const height = scope.range ? Math.max(40, Math.min(TALLEST, layout.height)) : shown;
  const window = scope.range ? { scrollTop: 0, pinnedTop: 0, height } : timeline.window.peek();
  const picture = await trace.picture(questionOf(view, width, rowsToDraw(layout, window, 0)));
  if (!picture) return null;
  const highlighted = statistics.highlighted.peek();
  const scene: Scene = {
    view,
    width,
    height,
    ruler: ruler(view, width, extent.from, info.clock),
    extent,
    layout,
    window,
    picture,
    marks: null,
    // Those of the screen are those of another view.
    ...(scope.range ? { hits: null, accesses: null } : shownMarks(open, 'rows')),
    names: trace.names,
    palette: paletteFor(page.theme.theme.peek(), highlighted),
    lifted: highlighted,
    selected: selection.selected.peek(),
    anchor: null,
    cursor: selection.record.peek()?.x ?? null,
  };
  const length = BigInt(Math.max(1, Math.round(width * view.perPixel)));
  const part: Extent = scope.range ?? ({ from: view.anchor, to: view.anchor + length } as Extent);
  const from = formatPosition(part.from < extent.from ? extent.from : part.from, extent.from, info.clock);
  const about = `${info.title} · ${formatLength(extentLength(part), info.clock)} from ${from}`;
  return {
    width,
    height,
    caption: { title: trace.name, about },
    draw: (pen, ratio) => drawTimelinePortrait(pen, scene, { title: trace.name, about }, ratio),
  };
}

/** What the modes of a flame graph show, and what widths are there. */
const MODES = {
  down: ['flame graph', 'total of a call path'],
  up: ['inverted flame graph', 'self time of the functions on top, with their callers below'],
  sandwich: ['sandwich', 'total of the function, by callers above it and callees below it'],
} as const;

/** The flame graph that the panel has shown last, all of it. */
function flameOf({ trace, statistics, timeline, find }: OpenTrace, page: Page): Drawn | null {
  const told = statistics.flame.peek();
  const info = trace.info.peek();
  if (!told || !info) return null;
  const { flame, callers } = told.columns;
  // Of a sandwich, the function is drawn once: above its callees, as on the screen.
  const hidden = callers ? 1 : 0;
  const laid = [...(callers ? [layOutFlame(callers, hidden)] : []), layOutFlame(flame, hidden)];
  const width = Math.max(900, timeline.size.peek().width);
  // Not that of the page: the graph may have been made for another one.
  const { range, exact, visited, slices, unmeasured, wanted } = told;
  const highlighted = statistics.highlighted.peek();
  const common = {
    names: trace.names,
    palette: paletteFor(page.theme.theme.peek(), highlighted),
    width,
    lifted: highlighted,
    hits: find.names.peek(),
    current: -1,
    rootName: allName(statistics.all.peek()),
    length: (total: number) => formatLength(BigInt(Math.round(total)), wanted.weighed ? NANOSECONDS : info.clock),
  };
  const scenes = laid.map((it, i): FlameScene => {
    const upwards = i < laid.length - 1;
    const rows = it.rows.length * FLAME_ROW;
    const height = Math.min(TALLEST / laid.length, upwards ? rows : rows + 4);
    // The callers that are next to the function are at the bottom.
    return { ...common, laid: it, height, upwards, scrollTop: upwards ? rows - height : 0 };
  });
  const what = range ? `range of ${formatLength(extentLength(range), info.clock)}` : 'whole trace';
  const estimate = exact ? '' : `, estimate from ${formatPercent(visited, slices)}`;
  const [graph, widths] = MODES[wanted.flame?.mode ?? 'down'];
  const weighed = unmeasured === null ? '' : ` by times of a replay, ${formatCounted(unmeasured, 'call')} not measured`;
  const about = `${info.title} · ${graph} of the ${what}${weighed}${estimate}`;
  return {
    width,
    height: scenes.reduce((sum, { height }) => sum + height, 0),
    caption: { title: trace.name, about },
    draw: (pen, ratio) => drawFlamePortrait(pen, scenes, { title: trace.name, about }, widths, ratio),
  };
}
