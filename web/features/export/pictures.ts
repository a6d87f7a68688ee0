import { formatCounted, formatLength, formatPercent, formatPosition } from '../../base/format.ts';
import type { Page } from '../../page/page.ts';
import { layOutFlame } from '../../timeline/flame.ts';
import { shownMarks } from '../../timeline/marked.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { drawnFlame, FLAME_WORDS, flameScenes } from '../../timeline/render/flame_picture.ts';
import { paletteFor } from '../../timeline/render/palette.ts';
import { type Drawn, type PictureForm, pictureFile } from '../../timeline/render/picture_file.ts';
import { drawTimelinePortrait } from '../../timeline/render/portrait.ts';
import type { Scene } from '../../timeline/render/scene.ts';
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
  readonly as: PictureForm;
}

/** CSS pixels of a picture of all tracks: browsers have no canvas of any size. */
const TALLEST = 4000;

/**
 * Saves a picture of the timeline or of the flame graph. Without a range it shows what is on the screen, else the range, with all
 * tracks. Names are those of the screen, so that they are short where it has short ones. Throws a sentence if there is nothing to show.
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
  const bytes = await pictureFile(drawn, kind.of, kind.as);
  await sink.write(bytes);
  return bytes.length;
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

/** The flame graph that the panel has shown last, all of it. */
function flameOf({ trace, statistics, timeline, find }: OpenTrace, page: Page): Drawn | null {
  const told = statistics.flame.peek();
  const info = trace.info.peek();
  if (!told || !info) return null;
  const { flame, callers } = told.columns;
  // Of a sandwich, the function is drawn once: above its callees, as on the screen.
  const hidden = callers ? 1 : 0;
  const laid = [...(callers ? [layOutFlame(callers, hidden)] : []), layOutFlame(flame, hidden)];
  // Not that of the page: the graph may have been made for another one.
  const { range, exact, visited, slices, unmeasured, wanted } = told;
  const highlighted = statistics.highlighted.peek();
  const scenes = flameScenes(laid, {
    names: trace.names,
    palette: paletteFor(page.theme.theme.peek(), highlighted),
    width: timeline.size.peek().width,
    lifted: highlighted,
    hits: find.names.peek(),
    rootName: allName(statistics.all.peek()),
    length: (total: number) => formatLength(BigInt(Math.round(total)), wanted.weighed ? NANOSECONDS : info.clock),
  });
  const what = range ? `range of ${formatLength(extentLength(range), info.clock)}` : 'whole trace';
  const estimate = exact ? '' : `, estimate from ${formatPercent(visited, slices)}`;
  const [graph, widths] = FLAME_WORDS[wanted.flame?.mode ?? 'down'];
  const weighed = unmeasured === null ? '' : ` by times of a replay, ${formatCounted(unmeasured, 'call')} not measured`;
  const about = `${info.title} · ${graph} of the ${what}${weighed}${estimate}`;
  const legend = `Width: ${widths}. A colour belongs to a name. Grey: several, too narrow to draw.`;
  return drawnFlame(scenes, { title: trace.name, about }, legend);
}
