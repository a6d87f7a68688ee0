import {
  DERIVED,
  FLAG_BEGAN_BEFORE,
  FLAG_END_INFERRED,
  FLAG_NEVER_ENDED,
  FLAG_UNCERTAIN,
  MANY,
  type Ticks,
} from '../../base/protocol.ts';
import { distance } from '../../base/ticks.ts';
import type { AboutMarks } from '../../trace/access_marks.ts';
import type { Marks } from '../../trace/marks.ts';
import { type Names, numberOf } from '../../trace/names.ts';
import { firstEndingAfter, type Picture, type Range, valueAt } from '../../trace/picture.ts';
import { graphRange } from '../../trace/tracks.ts';
import { type Extent, toPixel, type View } from '../../trace/view.ts';
import {
  type Band,
  bandsOf,
  INSTANT_LANE,
  isDrawn,
  type LaidTrack,
  type Layout,
  rowsWithin,
  tracksWithin,
  type Window,
} from '../layout.ts';
import type { Ruler } from '../ruler.ts';
import { drawAxis } from './axis.ts';
import { drawGaps } from './gaps.ts';
import { AFTER, drawInstants, visibleInstants } from './instants.ts';
import { type PutMark, placeMarks, withinShapes } from './marks.ts';
import { DIMMED, type Palette } from './palette.ts';
import type { Pen } from './pen.ts';
import type { Renderer, Transform } from './renderer.ts';
import type { TextFitter } from './text.ts';

/** The font of slice labels. */
export const LABEL_FONT = '11.5px Inter, system-ui, "Segoe UI", "DejaVu Sans", sans-serif';

/** CSS pixels of a mark at the bottom of a slice, and of the line below a hit. Both are lower in a compact row. */
const MARK_HEIGHT = 4;
const HIT_HEIGHT = 3;
const INSTANT_HIT_HEIGHT = 5;
/** CSS pixels from the top of a slice to the lower edge of its letters. */
const LETTERS = 13;
/** CSS pixels of the marks of one kind of hits. */
const ACCESS_HEIGHT = 3;
/** CSS pixels of the line below pinned tracks. */
const PINNED_EDGE = 2;
/** CSS pixels of the lowest slice with a label, and with drawn edges. */
const LABELLED = 12;
/** CSS pixels between the edge of a slice and its label. */
const LABEL_PADDING = 4;
/** CSS pixels of the least room for a label. */
const LABEL_FROM = 12;
/** CSS pixels of the narrowest slice whose flags are drawn. */
const EDGE_FROM = 7;
/** CSS pixels of a tooth of a torn edge. */
const TOOTH = 4;
/** CSS pixels of a dash, and of the gap after it, along the edges of an uncertain slice. */
const DASH = 3;

/** The place of the selection; `end` is null for an instant. */
export interface Marked {
  readonly track: number;
  readonly depth: number;
  readonly start: Ticks;
  readonly end: Ticks | null;
}

/** The contents of one frame of the timeline. Lengths are CSS pixels. */
export interface Scene {
  readonly view: View;
  readonly layout: Layout;
  /** From the first to the last position of the trace. */
  readonly extent: Extent;
  readonly window: Window;
  readonly width: number;
  readonly height: number;
  readonly picture: Picture | null;
  /** Where the lifted name hides in rectangles of many slices. */
  readonly marks: Marks | null;
  /** Where the hits of a search are. */
  readonly hits: Marks | null;
  /** Hits of certain kinds, and what is chosen, by kind. */
  readonly accesses: readonly AboutMarks[] | null;
  readonly names: Names;
  readonly palette: Palette;
  readonly ruler: Ruler;
  /** The hovered name id, or -1. */
  readonly lifted: number;
  readonly selected: Marked | null;
  /** Where measuring began. */
  readonly anchor: Marked | null;
  /** Absolute position of the selected record if that is neither a slice nor an instant, or null. */
  readonly cursor: bigint | null;
}

/** A scene in one part of the window. */
interface Part extends Scene {
  readonly band: Band;
}

function partsOf(scene: Scene): readonly Part[] {
  return bandsOf(scene.layout, scene.window).map((band) => ({ ...scene, band }));
}

/** CSS pixels of the slices of a track, excluding the gap below them. */
function sliceHeight({ rowHeight }: LaidTrack): number {
  return rowHeight - 1;
}

/** The rows of a track in a part of the window. */
function rowsIn({ band: { top, bottom, shift } }: Part, laid: LaidTrack): Range {
  return rowsWithin(laid, top + shift, bottom + shift);
}

/** Where a row of slices is in the window. */
function rowTop({ band }: Part, laid: LaidTrack, row: number): number {
  return laid.top + laid.slices + row * laid.rowHeight - band.shift;
}

/** Draws the shapes of a scene. Returns the number of slices, instants and graphs on the screen. */
export function drawShapes(renderer: Renderer, scene: Scene): number {
  const { palette, ruler, height } = scene;
  const dims = palette === DIMMED.dark || palette === DIMMED.light;
  renderer.begin({ palette, colour: scene.names.colour, lifted: scene.lifted, dims });
  for (const mark of ruler.marks) renderer.rect(mark.x, 0, 1, height, palette.line);
  let drawn = 0;
  const parts = partsOf(scene);
  for (const part of parts) {
    if (parts.length > 1) renderer.clip(part.band.top, part.band.bottom);
    drawn += drawTracks(renderer, part);
    // The edge of the pinned tracks.
    if (part.band.isPinned) renderer.mark(0, part.band.bottom - PINNED_EDGE, scene.width, PINNED_EDGE, palette.muted);
  }
  renderer.end();
  return drawn;
}

function drawTracks(renderer: Renderer, part: Part): number {
  const { palette, picture, width } = part;
  let drawn = 0;
  forEachTrack(part, (laid, y) => {
    if (!isDrawn(laid)) renderer.rect(0, y, width, laid.height, palette.panel);
    renderer.rect(0, y + laid.height - 1, width, 1, palette.line);
    if (!picture) return;
    const transform = transformOf(part.view, picture);
    forEachRow(part, picture, laid, (range, rowY) => {
      const solid = laid.track.id >= DERIVED;
      drawn += renderer.slices(picture.rects, range.first, range.end, rowY, sliceHeight(laid), transform, solid);
    });
    if (part.marks) drawRowsMarks(renderer, part, part.marks, laid);
    if (laid.instants >= 0) {
      drawn += visibleInstants(picture.instants, picture.lane(laid.track.id), transform, width, () => undefined);
    }
    if (laid.graph >= 0 && drawGraph(renderer, part, picture, laid, y, transform)) drawn += 1;
  });
  return drawn;
}

function drawRowsMarks(renderer: Renderer, scene: Part, marks: Marks, laid: LaidTrack): void {
  const { view, palette, width } = scene;
  const offset = (distance(marks.from, view.anchor) - view.fraction) / view.perPixel;
  const cell = Number(marks.step) / view.perPixel;
  const rows = rowsIn(scene, laid);
  const height = Math.min(MARK_HEIGHT, sliceHeight(laid) / 2);
  for (let row = rows.first; row < rows.end; row += 1) {
    const range = marks.row(laid.track.id, laid.track.lowest + row);
    const y = rowTop(scene, laid, row) + sliceHeight(laid) - height;
    placeMarks(marks, range, offset, cell, width, (x, wide, level) => {
      renderer.mark(x, y, wide, height, palette.marks[level]!);
    });
  }
}

/** Underlines the hits of a search in their rows: below the labels, and no further than the slices go. */
function drawHits(context: Pen, scene: Part, hits: Marks): void {
  const { view, palette, width, picture } = scene;
  const offset = (distance(hits.from, view.anchor) - view.fraction) / view.perPixel;
  const cell = Number(hits.step) / view.perPixel;
  const transform = picture && transformOf(view, picture);
  context.fillStyle = palette.hit;
  forEachTrack(scene, (laid) => {
    const rows = rowsIn(scene, laid);
    const height = laid.rows === 0 ? INSTANT_HIT_HEIGHT : hitHeight(sliceHeight(laid));
    const draw = (depth: number, y: number) => {
      const fill: PutMark = (x, wide) => context.fillRect(x, y, wide, height);
      const row = laid.rows > 0 && picture?.row(laid.track.id, depth);
      const put = row && transform ? withinShapes(picture.rects, row, transform, fill) : fill;
      placeMarks(hits, hits.row(laid.track.id, depth), offset, cell, width, put, 'alike');
    };
    for (let row = rows.first; row < rows.end; row += 1) {
      draw(laid.track.lowest + row, rowTop(scene, laid, row) + sliceHeight(laid) - height);
    }
    // Tracks without rows have instants.
    if (laid.rows === 0) draw(laid.track.lowest, laid.top - scene.band.shift + laid.height - height - 1);
  });
}

/** CSS pixels of the line below a hit in a slice `height` CSS pixels high: what the letters of a label leave free. */
function hitHeight(height: number): number {
  return height < LABELLED ? Math.min(HIT_HEIGHT, height / 2) : Math.max(2, Math.min(HIT_HEIGHT, height - LETTERS));
}

/** Underlines hits of several kinds in the first row of their tracks, one kind above the other. */
function drawAccesses(context: Pen, scene: Part, accesses: readonly AboutMarks[]): void {
  const { view, palette, width } = scene;
  forEachTrack(scene, (laid) => {
    if (laid.rows > 0 && rowsIn(scene, laid).first > 0) return;
    const bottom =
      laid.rows === 0
        ? laid.top - scene.band.shift + laid.height - 1
        : rowTop(scene, laid, 0) + Math.max(sliceHeight(laid), ACCESS_HEIGHT);
    // Three kinds or more leave the letters of a label free if they are thinner.
    const tall = accesses.length > 2 ? ACCESS_HEIGHT - 1 : ACCESS_HEIGHT;
    for (const [i, { about, marks }] of accesses.entries()) {
      const offset = (distance(marks.from, view.anchor) - view.fraction) / view.perPixel;
      context.fillStyle = palette.abouts[about]!;
      const y = bottom - (i + 1) * tall;
      const put: PutMark = (x, wide) => context.fillRect(x, y, wide, tall);
      placeMarks(marks, marks.row(laid.track.id, 0), offset, Number(marks.step) / view.perPixel, width, put, 'alike');
    }
  });
}

/** Draws labels, edges, instants and the selection above the shapes. */
export function drawMarks(context: Pen, fitter: TextFitter, scene: Scene): void {
  context.textBaseline = 'middle';
  const parts = partsOf(scene);
  for (const part of parts) {
    if (parts.length > 1) {
      const { top, bottom } = part.band;
      context.save();
      context.beginPath();
      context.rect(0, top, scene.width, bottom - top - (part.band.isPinned ? PINNED_EDGE : 0));
      context.clip();
    }
    drawTracksMarks(context, fitter, part);
    if (parts.length > 1) context.restore();
  }
  if (scene.cursor !== null) drawCursor(context, scene, scene.cursor);
}

function drawTracksMarks(context: Pen, fitter: TextFitter, scene: Part): void {
  const { picture, palette } = scene;
  if (picture) {
    const transform = transformOf(scene.view, picture);
    forEachTrack(scene, (laid, y) => {
      drawGaps(context, laid, y, { ...scene, colour: palette.muted });
      forEachRow(scene, picture, laid, (range, rowY) =>
        drawRowMarks(context, fitter, scene, picture, range, rowY, sliceHeight(laid), transform),
      );
      if (laid.graph >= 0 && picture.values(laid.track.id).end > picture.values(laid.track.id).first) {
        drawAxis(context, laid, y, palette);
      }
      if (laid.instants < 0) return;
      const top = y + laid.instants;
      const range = picture.lane(laid.track.id);
      drawInstants(context, picture.instants, range, transform, scene.width, top, palette.warning);
      context.fillStyle = palette.text;
      visibleInstants(picture.instants, range, transform, scene.width, (i, x, room) => {
        if (picture.instants.many[i]! > 1 || room < LABEL_FROM) return;
        const text = labelOf(scene.names.shown(picture.instants.name[i]!), room, fitter);
        if (text !== '') context.fillText(text, x + AFTER, top + INSTANT_LANE / 2 + 0.5);
      });
    });
  }
  if (scene.accesses) drawAccesses(context, scene, scene.accesses);
  if (scene.hits) drawHits(context, scene, scene.hits);
  if (scene.anchor) {
    context.setLineDash([4, 3]);
    drawSelection(context, scene, scene.anchor);
    context.setLineDash([]);
  }
  if (scene.selected) drawSelection(context, scene, scene.selected);
}

/** The transform from a picture's columns to the screen. */
function transformOf(view: View, picture: Picture): Transform {
  const scale = 1 / view.perPixel;
  return { scale, offset: (distance(picture.origin, view.anchor) - view.fraction) * scale };
}

function forEachTrack({ layout, band }: Part, visit: (laid: LaidTrack, y: number) => void): void {
  const { first, end } = tracksWithin(layout, band.top + band.shift, band.bottom + band.shift);
  for (let i = first; i < end; i += 1) {
    const laid = layout.tracks[i]!;
    visit(laid, laid.top - band.shift);
  }
}

function forEachRow(scene: Part, picture: Picture, laid: LaidTrack, visit: (range: Range, y: number) => void): void {
  const left = -transformOf(scene.view, picture).offset * scene.view.perPixel;
  const rows = rowsIn(scene, laid);
  for (let row = rows.first; row < rows.end; row += 1) {
    const range = picture.row(laid.track.id, laid.track.lowest + row);
    if (range.first === range.end) continue;
    const first = Math.max(range.first, firstEndingAfter(picture.rects.end, range, left) - 1);
    visit({ first, end: range.end }, rowTop(scene, laid, row));
  }
}

/** Returns false if the picture has no values of the counter on the screen. */
function drawGraph(
  renderer: Renderer,
  scene: Part,
  picture: Picture,
  laid: LaidTrack,
  y: number,
  transform: Transform,
): boolean {
  const range = picture.values(laid.track.id);
  const first = Math.max(range.first, valueAt(picture.counters, range, -transform.offset / transform.scale));
  const right = Math.min(scene.width, toPixel(scene.view, scene.extent.to));
  const { dots = false, log = false } = laid.track.look ?? {};
  const box = { y: y + laid.graph, height: laid.graphHeight, ...graphRange(laid.track), dots, log, right };
  if (range.end <= first) return false;
  renderer.graph(picture.counters, first, range.end, box, transform);
  return true;
}

function drawRowMarks(
  context: Pen,
  fitter: TextFitter,
  scene: Scene,
  picture: Picture,
  range: Range,
  y: number,
  height: number,
  transform: Transform,
): void {
  if (height < LABELLED) return;
  const { rects } = picture;
  const { palette, names, lifted } = scene;
  for (let i = range.first; i < range.end; i += 1) {
    const left = transform.offset + rects.start[i]! * transform.scale;
    if (left > scene.width) break;
    const right = transform.offset + rects.end[i]! * transform.scale;
    if (right - left < EDGE_FROM) continue;
    const flags = rects.flags[i]!;
    if (flags !== 0) drawEdges(context, scene, flags, left, right, y, height);
    if (rects.index[i] === MANY) continue;
    const from = Math.max(left, 0) + LABEL_PADDING + (flags & FLAG_BEGAN_BEFORE && left >= 0 ? TOOTH : 0);
    const room = Math.min(right, scene.width) - from - LABEL_PADDING / 2;
    if (room < LABEL_FROM) continue;
    const id = rects.name[i]!;
    const text = labelOf(names.shown(id), room, fitter);
    if (text === '') continue;
    context.fillStyle = (id === lifted ? palette.liftedLabel : palette.label)[names.colour[id]!]!;
    context.fillText(text, from, y + height / 2 + 0.5);
  }
}

/**
 * The label of a slice or an instant. A counting name that does not fit is reduced to its number, which identifies it better than its
 * start.
 */
function labelOf(name: string, room: number, fitter: TextFitter): string {
  const text = fitter.fitted(name, room);
  const number = text === name ? '' : numberOf(name);
  if (number === '') return text;
  return fitter.fitted(number, room) === number ? number : '';
}

/**
 * Draws what the flags say on the edges of a slice: a torn end where the recording lacks the begin or the end, a dotted
 * end where it is inferred, dashes along the top and the bottom of an uncertain slice.
 */
function drawEdges(
  context: Pen,
  { palette, width }: Scene,
  flags: number,
  left: number,
  right: number,
  y: number,
  height: number,
): void {
  context.fillStyle = palette.background;
  if (flags & FLAG_BEGAN_BEFORE && left > -TOOTH) tear(context, left, y, height, 1);
  if (flags & FLAG_NEVER_ENDED) tear(context, right, y, height, -1);
  else if (flags & FLAG_END_INFERRED) {
    for (let dot = 1; dot < height; dot += 4) context.fillRect(right - 4, y + dot, 2, 2);
  }
  if (flags & FLAG_UNCERTAIN) dash(context, palette.background, left, Math.min(right, width), y, height);
}

/** Cuts dashes into the top and the bottom edge. They start at the slice's left edge and move with it. */
function dash(context: Pen, colour: string, left: number, right: number, y: number, height: number): void {
  // A canvas loses precision far outside the screen, so the line starts at most one period before it.
  const from = left < 0 ? left % (2 * DASH) : left;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.setLineDash([DASH, DASH]);
  context.beginPath();
  for (const edge of [y + 0.5, y + height - 0.5]) {
    context.moveTo(from, edge);
    context.lineTo(right, edge);
  }
  context.stroke();
  context.setLineDash([]);
}

function tear(context: Pen, x: number, y: number, height: number, inwards: number): void {
  context.beginPath();
  context.moveTo(x - inwards, y);
  for (let tooth = 0; tooth < height; tooth += TOOTH) {
    context.lineTo(x + inwards * (TOOTH + 1), y + tooth + TOOTH / 2);
    context.lineTo(x, y + tooth + TOOTH);
  }
  context.lineTo(x - inwards, y + height);
  context.fill();
}

function drawSelection(context: Pen, scene: Part, selected: Marked): void {
  const laid = scene.layout.tracks.find((candidate) => candidate.track.id === selected.track);
  if (!laid || laid.top < scene.layout.pinnedHeight !== scene.band.isPinned) return;
  const { view } = scene;
  const at = (tick: bigint) => (distance(tick, view.anchor) - view.fraction) / view.perPixel;
  const top = laid.top - scene.band.shift;
  context.strokeStyle = scene.palette.outline;
  context.lineWidth = 2;
  const left = at(selected.start);
  if (selected.end === null) {
    if (laid.instants < 0) return;
    context.strokeRect(left - 7, top + laid.instants + 1, 14, INSTANT_LANE - 2);
    return;
  }
  const row = selected.depth - laid.track.lowest;
  if (row >= laid.rows) return;
  // A canvas loses precision far outside the screen, so the outline ends just beyond it.
  const from = Math.max(left, -4);
  const to = Math.min(Math.max(at(selected.end), left + 3), scene.width + 4);
  if (to > from) context.strokeRect(from, rowTop(scene, laid, row), to - from, sliceHeight(laid));
}

/** A line through all tracks. */
function drawCursor(context: Pen, { view, width, height, palette }: Scene, cursor: bigint): void {
  const x = (distance(cursor, view.anchor) - view.fraction) / view.perPixel;
  if (x < -2 || x > width + 2) return;
  context.fillStyle = palette.outline;
  context.fillRect(Math.round(x) - 1, 0, 2, height);
}
