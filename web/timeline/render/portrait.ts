import { shortened } from '../../base/format.ts';
import { bandsOf, isDrawn, tracksWithin } from '../layout.ts';
import { createFlat } from './canvas2d.ts';
import { drawFlame, drawFlameMarks, type FlameScene } from './flame.ts';
import type { Palette } from './palette.ts';
import type { Pen } from './pen.ts';
import type { Renderer } from './renderer.ts';
import { drawMarks, drawShapes, LABEL_FONT, type Scene } from './scene.ts';
import { createTextFitter } from './text.ts';

/** CSS pixels: the heading, the ruler, the names of tracks, the legend. */
const HEAD = 30;
const RULER = 22;
const NAMES = 190;
const LEGEND = 24;
const PADDING = 10;
const NAME_LINE = 12;

/** What a picture says about itself. */
export interface Caption {
  readonly title: string;
  /** What part of the trace is shown. */
  readonly about: string;
}

/** The size of a picture around a drawing of this size, in CSS pixels. */
export function portraitSize(
  kind: 'timeline' | 'flame',
  width: number,
  height: number,
): [width: number, height: number] {
  return kind === 'timeline' ? [NAMES + width, HEAD + RULER + height + LEGEND] : [width, HEAD + height + LEGEND];
}

/** Draws a timeline with its heading, ruler, names of tracks and legend. `ratio` is in device pixels per CSS pixel. */
export function drawTimelinePortrait(pen: Pen, scene: Scene, caption: Caption, ratio: number): void {
  const { width, height, palette, ruler } = scene;
  drawFrame(pen, palette, caption, portraitSize('timeline', width, height));
  pen.fillStyle = palette.muted;
  pen.fillText(ruler.base !== '' ? `${ruler.base} +` : ruler.unit, PADDING, HEAD + RULER / 2);
  for (const { x, label, fits } of ruler.marks) {
    if (fits) pen.fillText(label, NAMES + x + 5, HEAD + RULER / 2);
  }
  within(pen, 0, HEAD + RULER, NAMES, height, () => drawNames(pen, scene));
  within(pen, NAMES, HEAD + RULER, width, height, () => {
    drawFlat(pen, width, height, ratio, (renderer) => drawShapes(renderer, scene));
    begin(pen);
    drawMarks(pen, createTextFitter(pen), scene);
  });
  pen.fillStyle = palette.line;
  pen.fillRect(NAMES - 1, HEAD, 1, RULER + height);
  pen.fillRect(0, HEAD + RULER - 1, NAMES + width, 1);
  const legend =
    'Colour: name. Pale: many short ones. Torn edge: beginning not recorded, or never ended. Dashed: uncertain. Hatched: no records.';
  drawLegend(pen, palette, legend, HEAD + RULER + height, NAMES + width);
}

/**
 * Draws flame graphs of one width, one below the other, with their heading and legend.
 */
export function drawFlamePortrait(
  pen: Pen,
  scenes: readonly FlameScene[],
  caption: Caption,
  legend: string,
  ratio: number,
): void {
  const [first] = scenes;
  if (!first) return;
  const { width, palette } = first;
  const all = scenes.reduce((sum, { height }) => sum + height, 0);
  drawFrame(pen, palette, caption, portraitSize('flame', width, all));
  let top = HEAD;
  for (const scene of scenes) {
    const { height } = scene;
    within(pen, 0, top, width, height, () => {
      drawFlat(pen, width, height, ratio, (renderer) => drawFlame(renderer, scene));
      begin(pen);
      drawFlameMarks(pen, createTextFitter(pen), scene);
    });
    top += height;
  }
  drawLegend(pen, palette, legend, top, width);
}

function begin(pen: Pen): void {
  pen.font = LABEL_FONT;
  pen.textBaseline = 'middle';
}

/** Draws in a box, whose left top corner is the origin. */
function within(pen: Pen, x: number, y: number, width: number, height: number, draw: () => void): void {
  pen.save();
  pen.translate(x, y);
  pen.beginPath();
  pen.rect(0, 0, width, height);
  pen.clip();
  draw();
  pen.restore();
}

/** Draws shapes on whole device pixels. */
function drawFlat(pen: Pen, width: number, height: number, ratio: number, draw: (renderer: Renderer) => void): void {
  pen.save();
  pen.scale(1 / ratio, 1 / ratio);
  const renderer = createFlat({ width: 1, height: 1 }, pen, null);
  renderer.resize(width, height, ratio);
  draw(renderer);
  pen.restore();
}

function drawFrame(pen: Pen, palette: Palette, { title, about }: Caption, [width, height]: [number, number]): void {
  begin(pen);
  pen.fillStyle = palette.background;
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = palette.text;
  pen.font = `600 ${LABEL_FONT.replace('11.5px', '13px')}`;
  const fitter = createTextFitter(pen);
  const name = fitter.fitted(title, width * 0.6);
  const wide = pen.measureText(name).width;
  pen.fillText(name, PADDING, HEAD / 2);
  begin(pen);
  pen.fillStyle = palette.muted;
  pen.fillText(createTextFitter(pen).fitted(about, width - wide - 3 * PADDING), wide + 2 * PADDING, HEAD / 2 + 1);
}

function drawNames(pen: Pen, { layout, window, palette }: Scene): void {
  begin(pen);
  const fitter = createTextFitter(pen);
  for (const band of bandsOf(layout, window)) {
    const { first, end } = tracksWithin(layout, band.top + band.shift, band.bottom + band.shift);
    within(pen, 0, band.top, NAMES, band.bottom - band.top, () => {
      for (const laid of layout.tracks.slice(first, end)) {
        const y = laid.top - band.shift - band.top;
        pen.fillStyle = palette.line;
        pen.fillRect(0, y + laid.height - 1, NAMES, 1);
        pen.fillStyle = isDrawn(laid) ? palette.text : palette.muted;
        const left = PADDING + laid.level * PADDING;
        // The name of a track that begins above the window stays in sight, as on the page.
        const at = Math.max(y, Math.min(0, y + laid.height - 2 * NAME_LINE)) + NAME_LINE;
        pen.fillText(fitter.fitted(shortened(laid.track.name), NAMES - left - PADDING), left, at);
      }
    });
  }
}

function drawLegend(pen: Pen, palette: Palette, text: string, y: number, width: number): void {
  begin(pen);
  pen.fillStyle = palette.line;
  pen.fillRect(0, y, width, 1);
  pen.fillStyle = palette.muted;
  pen.fillText(createTextFitter(pen).fitted(text, width - 2 * PADDING), PADDING, y + LEGEND / 2);
}
