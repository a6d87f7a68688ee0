import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { FLAME_ROW, flameIndex, type LaidFlame, layOutFlame, nodeAt } from '../../../timeline/flame.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { allName, type Flames } from '../../../trace/statistics.ts';

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

/**
 * The state of a flame graph when it comes to the front: of the callers of a sandwich, or of what the view is about. The
 * first `hidden` rows are not drawn.
 */
export function createFlameState({ statistics, trace }: OpenTrace, part: keyof Flames, hidden = 0): FlameState {
  const size = signal({ width: 0, height: 0 });
  const scrollTop = signal(0);
  const pointer = signal<{ x: number; y: number } | null>(null);
  const current = signal<readonly number[] | null>(null);
  const upwards = part === 'callers';
  const laid = computed(() => {
    const columns = statistics.flame.value?.columns[part];
    return columns ? layOutFlame(columns, hidden) : null;
  });
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
  const rootName = computed(() => {
    if (upwards) return trace.names.of(laid.value?.flame.name[0] ?? -1);
    const whose = statistics.whose.value;
    if (whose !== 'all') return statistics.choices.value.find(({ id }) => id === whose)?.name ?? '';
    return allName(statistics.all.value);
  });
  return { laid, upwards, size, scrollTop, pointer, hovered, current, currentIndex, rootName };
}

/** The row at a place of the scrolled content, in CSS pixels. Few rows that go upwards stand at the bottom. */
function rowAt({ upwards, rows, height }: { upwards: boolean; rows: number; height: number }, y: number): number {
  if (!upwards) return Math.floor(y / FLAME_ROW);
  return Math.floor((Math.max(rows * FLAME_ROW, height) - y) / FLAME_ROW);
}
