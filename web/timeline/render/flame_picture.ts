import { FLAME_ROW, type LaidFlame } from '../flame.ts';
import type { FlameScene } from './flame.ts';
import type { Drawn } from './picture_file.ts';
import { type Caption, drawFlamePortrait } from './portrait.ts';

/** CSS pixels. */
const TALLEST = 4000;
const NARROWEST = 900;

/** What the modes of a flame graph show, and what widths are there. */
export const FLAME_WORDS = {
  down: ['flame graph', 'total of a call path'],
  up: ['inverted flame graph', 'self time of the functions on top, with their callers below'],
  sandwich: ['sandwich', 'total of the function, by callers above it and callees below it'],
} as const;

/**
 * All of the graphs of a flame graph as scenes of one width, which is at least 900 pixels. Of a sandwich, the first of two is that of the
 * callers, which go upwards.
 */
export function flameScenes(
  laid: readonly LaidFlame[],
  common: Omit<FlameScene, 'laid' | 'height' | 'upwards' | 'scrollTop' | 'current'>,
): readonly FlameScene[] {
  return laid.map((it, i): FlameScene => {
    const upwards = i < laid.length - 1;
    const rows = it.rows.length * FLAME_ROW;
    const height = Math.min(TALLEST / laid.length, upwards ? rows : rows + 4);
    const width = Math.max(NARROWEST, common.width);
    // The callers that are next to the function are at the bottom.
    return { ...common, width, current: -1, laid: it, height, upwards, scrollTop: upwards ? rows - height : 0 };
  });
}

/** A picture of these scenes, with a legend below. */
export function drawnFlame(scenes: readonly FlameScene[], caption: Caption, legend: string): Drawn {
  return {
    width: scenes[0]?.width ?? NARROWEST,
    height: scenes.reduce((sum, { height }) => sum + height, 0),
    caption,
    draw: (pen, ratio) => drawFlamePortrait(pen, scenes, caption, legend, ratio),
  };
}
