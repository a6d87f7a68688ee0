import { type Portions, portionsOf } from '../base/portions.ts';
import { type CallPaths, type CallPathTexts, textOf } from './call_paths.ts';
import type { ListedNames } from './names.ts';
import { type Change, withChange } from './transforms.ts';

/** Sets what {@link callPathTexts} returned. Changes of names that the trace lacks are left out, and so is a path with one. */
export function* applyCallPaths(paths: CallPaths, texts: CallPathTexts, names: ListedNames): Portions<void> {
  const missing = new Set([...texts.changes.map(([, text = '']) => text), ...(texts.flame?.path ?? [])]);
  const ids = new Map<string, number>();
  if (missing.size > 0) {
    yield* portionsOf(names.text.length, (start, end) => {
      for (let id = start; id < end; id += 1) {
        const text = textOf(names, id);
        if (missing.delete(text)) ids.set(text, id);
      }
    });
  }
  let changes: readonly Change[] = [];
  for (const [kind, text = ''] of texts.changes) {
    const name = ids.get(text);
    let change: Change | null = null;
    if (kind === 'collapse') change = { kind };
    else if (kind === 'only') change = { kind, text };
    else if (name !== undefined) change = { kind, name };
    if (change) changes = withChange(changes, change);
  }
  if (changes.length > 0) paths.changes.value = changes;
  if (!texts.flame) return;
  const { mode, path } = texts.flame;
  const focus = path.map((text) => ids.get(text)).filter((id) => id !== undefined);
  paths.mode.value = mode;
  if (focus.length > 0 && focus.length === path.length) paths.setTrail([focus]);
}
