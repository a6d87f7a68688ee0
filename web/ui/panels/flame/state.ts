import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { FLAME_ROW, type LaidFlame, layOutFlame, nodeAt } from '../../../model/flame.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { allName } from '../../dock/scope.tsx';

/** CSS pixels next to a node within which the pointer still hits it. */
const SLACK = 2;

/** The flame graph on the screen. */
export interface FlameState {
  /** null until there are statistics. */
  readonly laid: ReadonlySignal<LaidFlame | null>;
  /** CSS pixels. */
  readonly size: Signal<{ readonly width: number; readonly height: number }>;
  readonly scrollTop: Signal<number>;
  /** CSS pixels from the left and top of the area; null while the pointer is elsewhere. */
  readonly pointer: Signal<{ readonly x: number; readonly y: number } | null>;
  /** Index of the node under the pointer, or -1. */
  readonly hovered: ReadonlySignal<number>;
  /** The call-tree node of the keyboard cursor, or -1. */
  readonly current: Signal<number>;
  /** Its index in the flame graph, or -1 if the graph lacks it. */
  readonly currentIndex: ReadonlySignal<number>;
  readonly rootName: ReadonlySignal<string>;
}

/** The state of a flame graph when it comes to the front. */
export function createFlameState({ statistics }: OpenTrace): FlameState {
  const size = signal({ width: 0, height: 0 });
  const scrollTop = signal(0);
  const pointer = signal<{ x: number; y: number } | null>(null);
  const current = signal(-1);
  const laid = computed(() => {
    const told = statistics.flame.value;
    return told && layOutFlame(told.columns);
  });
  const hovered = computed(() => {
    const at = pointer.value;
    const { width } = size.value;
    const now = laid.value;
    if (!at || !now || width === 0) return -1;
    return nodeAt(now, Math.floor((at.y + scrollTop.value) / FLAME_ROW), at.x / width, SLACK / width);
  });
  const currentIndex = computed(() => (current.value < 0 ? -1 : (laid.value?.flame.node.indexOf(current.value) ?? -1)));
  const rootName = computed(() => {
    const whose = statistics.whose.value;
    if (whose !== 'all') return statistics.choices.value.find(({ id }) => id === whose)?.name ?? '';
    return allName(statistics.all.value);
  });
  return { laid, size, scrollTop, pointer, hovered, current, currentIndex, rootName };
}
