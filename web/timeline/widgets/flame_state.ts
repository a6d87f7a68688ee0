import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Names } from '../../trace/names.ts';
import { FLAME_ROW, flameIndex, type LaidFlame, nodeAt } from '../flame.ts';
import type { Palette } from '../render/palette.ts';

/** CSS pixels next to a node within which the pointer still hits it. */
const SLACK = 2;

/** A flame graph on the screen. */
export interface FlameState {
  /** null until there are statistics. */
  readonly laid: ReadonlySignal<LaidFlame | null>;
  /** The root is at the bottom. */
  readonly upwards: boolean;
  /** CSS pixels. */
  readonly size: Signal<{ readonly width: number; readonly height: number }>;
  readonly scrollTop: Signal<number>;
  /** CSS pixels from the left and top of the area; null while the pointer is elsewhere. */
  readonly pointer: Signal<{ readonly x: number; readonly y: number } | null>;
  /** Index of the node under the pointer, or -1. */
  readonly hovered: ReadonlySignal<number>;
  /** The path to the node of the keyboard cursor, as names from the root; null without one. */
  readonly current: Signal<readonly number[] | null>;
  /** Its index in the flame graph, or -1 if the graph lacks it. */
  readonly currentIndex: ReadonlySignal<number>;
  readonly rootName: ReadonlySignal<string>;
}

/** What a flame graph is of. */
export interface FlameSource {
  /** The names of nodes, with their colours. */
  readonly names: Pick<Names, 'of' | 'shown' | 'colour' | 'version'>;
  /** The name id that stands out, or -1. */
  readonly highlighted: Signal<number>;
  /** Name ids whose nodes are underlined. */
  readonly hits: ReadonlySignal<ReadonlySet<number>>;
  palette(theme: 'dark' | 'light', highlighted: number): Palette;
  /** The width of a node as text, in ticks. */
  length(total: number): string;
  /** What is known of a node. */
  about(laid: LaidFlame, index: number): FlameAbout;
  /** Whether menus are about the function of a node. */
  readonly hasMenus: boolean;
}

/** What is known of a node of a flame graph. */
export interface FlameAbout {
  readonly name: string;
  /** Figures: what each is, its text, and what follows it less prominently. */
  readonly figures: readonly (readonly [word: string, text: string, share: string])[];
  /** How many calls there are. */
  readonly calls: string;
}

/** The state of a flame graph when it comes to the front. `upwards`: its root is at the bottom. */
export function createFlameState(
  laid: ReadonlySignal<LaidFlame | null>,
  rootName: ReadonlySignal<string>,
  upwards = false,
): FlameState {
  const size = signal({ width: 0, height: 0 });
  const scrollTop = signal(0);
  const pointer = signal<{ x: number; y: number } | null>(null);
  const current = signal<readonly number[] | null>(null);
  const hovered = computed(() => {
    const at = pointer.value;
    const { width, height } = size.value;
    const now = laid.value;
    if (!at || !now || width === 0) return -1;
    return nodeAt(
      now,
      rowAt({ upwards, rows: now.rows.length, height }, at.y + scrollTop.value),
      at.x / width,
      SLACK / width,
    );
  });
  const currentIndex = computed(() => {
    const path = current.value;
    const now = laid.value;
    return path && now ? flameIndex(now.flame, path) : -1;
  });
  return { laid, upwards, size, scrollTop, pointer, hovered, current, currentIndex, rootName };
}

/** The row at a place of the scrolled content, in CSS pixels. Few rows that go upwards stand at the bottom. */
function rowAt({ upwards, rows, height }: { upwards: boolean; rows: number; height: number }, y: number): number {
  if (!upwards) return Math.floor(y / FLAME_ROW);
  return Math.floor((Math.max(rows * FLAME_ROW, height) - y) / FLAME_ROW);
}
