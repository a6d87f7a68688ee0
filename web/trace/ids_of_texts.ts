import { type Portions, portionsOf } from '../base/portions.ts';
import type { Names } from './names.ts';

/** Most texts that are not names of the trace. Further ones have no id of their own. */
const MOST_OTHERS = 10_000;

/** Finds ids for texts: those of the trace's names, which have its colours, or ids apart from them. */
export function* idsOf(names: Pick<Names, 'text' | 'apart'>, texts: readonly string[]): Portions<Uint32Array> {
  if (texts.length === 0) return new Uint32Array();
  const missing = new Set<string>();
  yield* portionsOf(texts.length, (start, end) => {
    for (let i = start; i < end; i += 1) missing.add(texts[i]!);
  });
  const idByText = new Map<string, number>();
  yield* portionsOf(names.text.length, (start, end) => {
    for (let id = start; id < end; id += 1) {
      const text = names.text[id]!;
      if (missing.delete(text)) idByText.set(text, id);
    }
  });
  let extra = 0;
  const ids = new Uint32Array(texts.length);
  const idOf = (text: string) => {
    let id = idByText.get(text);
    if (id === undefined) {
      extra += 1;
      id = names.apart(extra > MOST_OTHERS ? '' : text);
      if (extra <= MOST_OTHERS) idByText.set(text, id);
    }
    return id;
  };
  yield* portionsOf(texts.length, (start, end) => {
    for (let i = start; i < end; i += 1) ids[i] = idOf(texts[i]!);
  });
  return ids;
}
