import { PORTION } from '../../base/portion.ts';
import type { Texts } from '../../base/texts.ts';

/** Names that have other texts. `keys` are null if all of them are ''. */
interface OtherNames {
  readonly ids: Uint32Array;
  readonly names: Texts;
  readonly keys?: Texts | null;
}

/** Splits names into portions, each of which is a message of its own: the page draws between them. `goesOn`: whether another one follows. */
export function* inMessages({ ids, names, keys }: OtherNames) {
  let start = 0;
  do {
    const end = Math.min(ids.length, start + PORTION);
    yield {
      ids: ids.slice(start, end),
      names: partOfTexts(names, start, end),
      keys: keys ? partOfTexts(keys, start, end) : null,
      goesOn: end < ids.length,
    };
    start = end;
  } while (start < ids.length);
}

/** The texts from `start` to before `end`. */
function partOfTexts(texts: Texts, start: number, end: number): Texts {
  const { ends } = texts;
  const begin = ends[start - 1] ?? 0;
  const content = texts.all.slice(begin, ends[end - 1] ?? 0);
  return { all: content, ends: ends.slice(start, end).map((position) => position - begin) };
}
