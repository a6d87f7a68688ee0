import { batch, type ReadonlySignal, type Signal } from '@preact/signals';
import type { CallPaths, FlameMode } from './call_paths.ts';
import { type Change, withChange } from './transforms.ts';

/** What a person does to call paths: changes them, and looks closer at some. */
export interface PathActions {
  readonly mode: Signal<FlameMode>;
  readonly changes: ReadonlySignal<readonly Change[]>;
  /** What is in focus of the flame graph: names from the root. Of a sandwich, its function; empty without one. */
  readonly path: ReadonlySignal<readonly number[]>;
  add(change: Change): void;
  remove(change: Change): void;
  clear(): void;
  /** Focuses a node of the flame graph; {@link PathActions.focusBack} returns to the one before. */
  focus(path: readonly number[]): void;
  /** Returns false if there was nothing to go back to. */
  focusBack(): boolean;
  /** Shows the callers and callees of a function. */
  sandwich(name: number): void;
}

/** The actions on the choices of a person. */
export function createPathActions({ mode, changes, path, trail, setTrail }: CallPaths): PathActions {
  return {
    mode,
    changes,
    path,
    add: (change) => {
      changes.value = withChange(changes.peek(), change);
    },
    remove: (change) => {
      changes.value = changes.peek().filter((other) => other !== change);
    },
    clear: () => {
      changes.value = [];
    },
    focus: (to) => {
      if (to.join() !== path.peek().join()) setTrail([...trail.peek(), to]);
    },
    focusBack: () => {
      const before = trail.peek();
      // A sandwich needs a function.
      if (before.length <= (mode.peek() === 'sandwich' ? 1 : 0)) return false;
      setTrail(before.slice(0, -1));
      return true;
    },
    sandwich: (name) => {
      batch(() => {
        mode.value = 'sandwich';
        if (path.peek().join() !== String(name)) setTrail([...trail.peek(), [name]]);
      });
    },
  };
}
