import { NO_NAME } from '../../base/protocol.ts';
import type { Names } from '../../trace/names.ts';
import { FLAME_ROW, type LaidFlame } from '../flame.ts';
import type { Palette } from './palette.ts';
import type { Pen } from './pen.ts';
import type { Renderer } from './renderer.ts';
import type { TextFitter } from './text.ts';

const HEIGHT = FLAME_ROW - 1;
const PADDING = 4;
const LABEL_FROM = 16;
/** CSS pixels between a name and its length. */
const GAP = 12;
/** CSS pixels of the line below a hit. */
const HIT = 3;
/** CSS pixels of the narrowest node with a length. */
const WIDE = 168;

/** The contents of one frame of the flame graph. Lengths are CSS pixels. */
export interface FlameScene {
  readonly laid: LaidFlame;
  readonly names: Pick<Names, 'shown' | 'colour'>;
  readonly palette: Palette;
  readonly width: number;
  readonly height: number;
  /** The root is at the bottom. */
  readonly upwards?: boolean;
  readonly scrollTop: number;
  /** The name id whose nodes are lifted, or -1. */
  readonly lifted: number;
  /** Name ids of the hits of a search. Their nodes are underlined. */
  readonly hits: ReadonlySet<number>;
  /** Index of the node with an outline, or -1. */
  readonly current: number;
  /** Name of the root. */
  readonly rootName: string;
  /** Formats the total of a node, in ticks. */
  readonly length: (total: number) => string;
}

/** Draws the nodes of a scene. */
export function drawFlame(renderer: Renderer, scene: FlameScene): void {
  const { laid, palette, names, width } = scene;
  renderer.begin({ palette, colour: names.colour, lifted: scene.lifted });
  const scale = laid.width > 0 ? width / laid.width : 0;
  forEachRow(scene, (depth, y) => {
    const row = laid.rows[depth]!;
    for (const i of row.nameless) {
      const left = laid.start[i]! * scale;
      const wide = laid.end[i]! * scale - left;
      if (wide >= 0.5) renderer.rect(left, y, Math.max(1, wide - 1), HEIGHT, i === 0 ? palette.panel : palette.line);
    }
    renderer.slices(row, 0, row.start.length, y, HEIGHT, { offset: 0, scale });
  });
  renderer.end();
}

/** Draws names and the outline above the nodes. */
export function drawFlameMarks(context: Pen, fitter: TextFitter, scene: FlameScene): void {
  const { laid, palette, names, width, lifted } = scene;
  context.textBaseline = 'middle';
  const scale = laid.width > 0 ? width / laid.width : 0;
  const label = (i: number, text: string, ink: string, y: number) => {
    const left = laid.start[i]! * scale;
    const room = laid.end[i]! * scale - left - 2 * PADDING - 1;
    if (room < LABEL_FROM) return;
    const fitted = fitter.fitted(text, room);
    if (fitted === '') return;
    context.fillStyle = ink;
    context.fillText(fitted, left + PADDING, y + HEIGHT / 2 + 0.5);
    if (fitted !== text || room < WIDE) return;
    const used = context.measureText(text).width;
    const length = scene.length(laid.flame.total[i]!);
    if (fitter.fitted(length, room - used - GAP) !== length) return;
    context.globalAlpha = 0.75;
    context.fillText(length, left + PADDING + used + GAP, y + HEIGHT / 2 + 0.5);
    context.globalAlpha = 1;
  };
  forEachRow(scene, (depth, y) => {
    const row = laid.rows[depth]!;
    for (const i of row.nameless) {
      label(i, i === 0 ? scene.rootName : '…', i === 0 ? palette.text : palette.muted, y);
    }
    for (let k = 0; k < row.start.length; k += 1) {
      const id = row.name[k]!;
      const faded = row.fill[k]! < 255;
      const inks = id === lifted ? palette.liftedLabel : palette.label;
      label(row.index[k]!, names.shown(id), faded ? palette.text : inks[names.colour[id]!]!, y);
      if (!scene.hits.has(id)) continue;
      const left = row.start[k]! * scale;
      context.fillStyle = palette.hit;
      context.fillRect(left, y + HEIGHT - HIT, Math.max(2, row.end[k]! * scale - left - 1), HIT);
    }
  });
  const { current } = scene;
  if (current < 0 || current >= laid.flame.length) return;
  const left = laid.start[current]! * scale;
  const y = rowTop(scene, laid.row[current]!);
  context.strokeStyle = palette.outline;
  context.lineWidth = 2;
  context.strokeRect(left + 1, y + 1, Math.max(3, laid.end[current]! * scale - left - 2), HEIGHT - 2);
}

/** The name of the node at index `i`. */
export function flameName(laid: LaidFlame, i: number, names: Pick<Names, 'of'>, rootName: string): string {
  const name = laid.flame.name[i]!;
  if (name !== NO_NAME) return names.of(name);
  return i === 0 ? rootName : 'Several, too narrow to draw';
}

function forEachRow(scene: FlameScene, visit: (depth: number, y: number) => void): void {
  for (let depth = 0; depth < scene.laid.rows.length; depth += 1) {
    const y = rowTop(scene, depth);
    if (y > -FLAME_ROW && y < scene.height) visit(depth, y);
  }
}

/** The upper edge of a row. Few rows that go upwards stand at the bottom. */
function rowTop({ laid, upwards, height, scrollTop }: FlameScene, depth: number): number {
  if (!upwards) return depth * FLAME_ROW - scrollTop;
  return Math.max(laid.rows.length * FLAME_ROW, height) - (depth + 1) * FLAME_ROW + 1 - scrollTop;
}
