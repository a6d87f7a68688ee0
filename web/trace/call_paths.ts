import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Names } from './names.ts';
import type { Statistics, Whose } from './statistics.ts';
import type { Change } from './transforms.ts';

/** The modes of the flame graph. */
export const FLAME_MODES = ['heavy', 'time', 'inverted', 'sandwich'] as const;
export type FlameMode = (typeof FLAME_MODES)[number];

/** Paths that were in focus, the latest last. */
type Trail = readonly (readonly number[])[];
type Trails = Readonly<Record<FlameMode, Trail>>;
const NO_TRAILS: Trails = { heavy: [], time: [], inverted: [], sandwich: [] };

/** What a person has chosen about the call paths of a trace. It is there before the Calls panel is loaded, so that links can set it. */
export interface CallPaths {
  readonly mode: Signal<FlameMode>;
  /** Changes of the call paths in Tree and Flame. */
  readonly changes: Signal<readonly Change[]>;
  /** What is in focus of the flame graph: names from the root. Of a sandwich, its function; empty without one. */
  readonly path: ReadonlySignal<readonly number[]>;
  /** What is in focus of the mode, and what was before. */
  readonly trail: ReadonlySignal<Trail>;
  /** Sets the trail of the mode: for the thread and the changes as they are. */
  setTrail(trail: Trail): void;
}

/** Call paths as they are, none of them in focus. */
export function createCallPaths({ whose }: Pick<Statistics, 'whose'>): CallPaths {
  const mode = signal<FlameMode>('heavy');
  const changes = signal<readonly Change[]>([]);
  /** The trails, and what they are of. */
  const kept = signal<{ readonly whose: Whose; readonly changes: readonly Change[]; readonly trails: Trails }>({
    whose: whose.peek(),
    changes: changes.peek(),
    trails: NO_TRAILS,
  });
  const trails = computed((): Trails => {
    const of = kept.value;
    if (of.whose === whose.value && of.changes === changes.value) return of.trails;
    // Another thread has other paths, and changed paths have other names.
    return { ...NO_TRAILS, sandwich: of.trails.sandwich.slice(-1) };
  });
  const trail = computed(() => trails.value[mode.value]);
  const path = computed(() => trail.value.at(-1) ?? []);
  const setTrail = (to: Trail) => {
    kept.value = { whose: whose.peek(), changes: changes.peek(), trails: { ...trails.peek(), [mode.peek()]: to } };
  };
  return { mode, changes, path, trail, setTrail };
}

/** A change in a link: its kind, then the text of its name or its filter. */
type ChangeText = readonly [kind: Change['kind'], text?: string];

/** What was chosen about call paths, with names as texts: ids may be others where the link is opened. */
export interface CallPathTexts {
  readonly changes: readonly ChangeText[];
  /** null for what it is at first. */
  readonly flame: { readonly mode: FlameMode; readonly path: readonly string[] } | null;
}

/** The text that the file has for a name, whatever a companion calls it. */
export function textOf(names: Pick<Names, 'of' | 'keyOf'>, id: number): string {
  return names.keyOf(id) || names.of(id);
}

/** Choices about call paths as texts. */
export function callPathTexts({ mode, changes, path }: CallPaths, names: Pick<Names, 'of' | 'keyOf'>): CallPathTexts {
  const texts = changes.peek().map((change): ChangeText => {
    if (change.kind === 'collapse') return [change.kind];
    return [change.kind, change.kind === 'only' ? change.text : textOf(names, change.name)];
  });
  const inFocus = path.peek().map((id) => textOf(names, id));
  const isFirst = mode.peek() === 'heavy' && inFocus.length === 0;
  return { changes: texts, flame: isFirst ? null : { mode: mode.peek(), path: inFocus } };
}

const CHANGES: readonly string[] = ['collapse', 'focus', 'hide', 'only'] satisfies readonly Change['kind'][];

/** Reads changes of a link: `[["only","main"],["collapse"]]`. What is damaged is left out. */
export function readChanges(value: unknown): readonly ChangeText[] {
  if (!Array.isArray(value)) return [];
  return value.filter((change): change is ChangeText => {
    if (!Array.isArray(change)) return false;
    const [kind, text] = change as readonly unknown[];
    if (typeof kind !== 'string' || !CHANGES.includes(kind)) return false;
    return kind === 'collapse' || (typeof text === 'string' && text !== '');
  });
}

/** Reads the mode of a flame graph and the path in focus of a link: `["sandwich","main"]`. null if that is damaged. */
export function readFlame(value: unknown): CallPathTexts['flame'] {
  if (!Array.isArray(value)) return null;
  const [first, ...path] = value as readonly unknown[];
  const mode = FLAME_MODES.find((known) => known === first);
  return mode && path.every((text) => typeof text === 'string') ? { mode, path: path as string[] } : null;
}
