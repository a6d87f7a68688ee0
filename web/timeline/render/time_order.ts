import type { Names } from '../../trace/names.ts';
import { FLAME_ROW } from '../flame.ts';
import type { LaidTime, TimeRow } from '../time_order.ts';
import type { Palette } from './palette.ts';
import type { Pen } from './pen.ts';
import type { Renderer } from './renderer.ts';
import type { TextFitter } from './text.ts';

const HEIGHT = FLAME_ROW - 1;
const PADDING = 4;
const LABEL_FROM = 16;

/** The contents of one frame of calls in the order of time. Lengths are CSS pixels. */
export interface TimeScene {
  readonly laid: LaidTime;
  readonly names: Names;
  readonly palette: Palette;
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  /** The name id whose calls are lifted, or -1. */
  readonly lifted: number;
  /** Index of the rectangle with an outline, or -1. */
  readonly current: number;
  readonly trackName: (track: number) => string;
}

/** Draws the calls of a scene. */
export function drawTime(renderer: Renderer, scene: TimeScene): void {
  const { laid, palette, names, width } = scene;
  renderer.begin({ palette, colour: names.colour, lifted: scene.lifted });
  const transform = { offset: 0, scale: scaleOf(scene) };
  forEachRow(scene, (row, y) => {
    if (row.first === undefined) renderer.rect(0, y, width, HEIGHT, palette.panel);
    else renderer.slices(laid.columns, row.first, row.end, y, HEIGHT, transform);
  });
  renderer.end();
}

/** Draws names and the outline above the calls. */
export function drawTimeMarks(context: Pen, fitter: TextFitter, scene: TimeScene): void {
  const { laid, palette, names, width, lifted, current } = scene;
  const { start, end, name } = laid.columns;
  context.textBaseline = 'middle';
  const scale = scaleOf(scene);
  const label = (text: string, left: number, room: number, ink: string, y: number) => {
    const fitted = room < LABEL_FROM ? '' : fitter.fitted(text, room);
    if (fitted === '') return;
    context.fillStyle = ink;
    context.fillText(fitted, left + PADDING, y + HEIGHT / 2 + 0.5);
  };
  forEachRow(scene, (row, y) => {
    if (row.first === undefined) {
      label(scene.trackName(row.track), 0, width - 2 * PADDING, palette.text, y);
      return;
    }
    for (let i = row.first; i < row.end; i += 1) {
      const room = (end[i]! - start[i]!) * scale - 2 * PADDING - 1;
      if (room < LABEL_FROM) continue;
      const id = name[i]!;
      const inks = id === lifted ? palette.liftedLabel : palette.label;
      label(names.shown(id), start[i]! * scale, room, inks[names.colour[id]!]!, y);
    }
    if (current < row.first || current >= row.end) return;
    context.strokeStyle = palette.outline;
    context.lineWidth = 2;
    const left = start[current]! * scale;
    context.strokeRect(left + 1, y + 1, Math.max(3, (end[current]! - start[current]!) * scale - 2), HEIGHT - 2);
  });
}

function scaleOf({ laid, width }: TimeScene): number {
  return laid.columns.width > 0 ? width / laid.columns.width : 0;
}

function forEachRow({ laid, scrollTop, height }: TimeScene, visit: (row: TimeRow, y: number) => void): void {
  const first = Math.floor(scrollTop / FLAME_ROW);
  const end = Math.min(laid.rows.length, Math.ceil((scrollTop + height) / FLAME_ROW));
  for (let k = first; k < end; k += 1) visit(laid.rows[k]!, k * FLAME_ROW - scrollTop);
}
