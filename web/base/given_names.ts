import { type Portions, portionsOf } from './portions.ts';

/** Pairs of a name in the file and what is shown in its place. Blobs cross to a worker without a copy of what is in them. */
export type GivenNames = readonly Blob[];

type Pair = readonly [name: string, shown: string];

interface Names {
  readonly text: readonly string[];
  keyOf(id: number): string;
}

/** The names of a trace that are shown in place of ids or addresses in the file. `textOf`: as they are shown. */
export function* givenNames(
  { text, keyOf }: Names,
  textOf: (id: number) => string = (id) => text[id]!,
): Portions<GivenNames> {
  const blobs: Blob[] = [];
  yield* portionsOf(text.length, (start, end) => {
    const pairs: Pair[] = [];
    for (let id = start; id < end; id += 1) {
      const [key, name] = [keyOf(id), textOf(id)];
      if (key !== '' && key !== name) pairs.push([key, name]);
    }
    if (pairs.length > 0) blobs.push(new Blob([JSON.stringify(pairs)]));
  });
  return blobs;
}

/** Texts that are shown, by the names in the file. For workers. */
export async function shownByName(blobs: GivenNames): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const blob of blobs) {
    for (const [name, text] of JSON.parse(await blob.text()) as readonly Pair[]) texts.set(name, text);
  }
  return texts;
}

/** Names of functions that have ids in the file. For workers. */
export async function namesOfIds(
  blobs: GivenNames,
): Promise<{ readonly ids: BigInt64Array; readonly names: string[] }> {
  const ids: bigint[] = [];
  const names: string[] = [];
  for (const [key, name] of await shownByName(blobs)) {
    const id = /^#(-?\d+)$/.exec(key)?.[1];
    if (id === undefined) continue;
    ids.push(BigInt(id));
    names.push(name);
  }
  return { ids: BigInt64Array.from(ids), names };
}
