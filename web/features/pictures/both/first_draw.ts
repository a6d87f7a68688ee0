/** What a search for the first draw whose picture differs has found. */
export type FirstDraw =
  /** Step number `number`, from 1, is the first after which pictures differ. */
  | { readonly is: 'draw'; readonly number: number }
  /** The pictures at the end of the frame are equal. */
  | { readonly is: 'equal' }
  /** Pictures differ before anything is drawn. */
  | { readonly is: 'before' }
  /** After all draws, the pictures are equal. */
  | { readonly is: 'after' };

/** How much two sides have drawn of a frame: numbers of their draws. */
export interface Step {
  readonly a: number;
  readonly b: number;
  /** Which side has the draw that is the last one of this step. */
  readonly has: 'both' | 'a' | 'b';
}

/**
 * The draws of a frame of both sides, in order: those that belong together, and those that one side alone has. `across`: the draw of B that
 * belongs to one of A, null if none does, and `undefined` if that is not known. Without any that belong together, they do by number.
 */
export function stepsOf(
  a: readonly number[],
  b: readonly number[],
  across: (draw: number) => number | null | undefined,
): readonly Step[] {
  const places = new Map(b.map((draw, place) => [draw, place]));
  const matched = a.map((draw) => places.get(across(draw) ?? -1) ?? -1);
  const inB = matched.some((place) => place >= 0) ? matched : a.map((_, place) => (place < b.length ? place : -1));
  const steps: Step[] = [];
  let done = 0;
  const aloneInB = (inA: number, until: number) => {
    while (done < until) steps.push({ a: inA, b: ++done, has: 'b' });
  };
  for (const [number, place] of inB.entries()) {
    // What belongs to an earlier draw than the one before has moved: it is on both sides alone.
    const isBoth = place >= done;
    if (isBoth) aloneInB(number, place);
    if (isBoth) done += 1;
    steps.push({ a: number + 1, b: done, has: isBoth ? 'both' : 'a' });
  }
  aloneInB(a.length, b.length);
  return steps;
}

/**
 * Finds the first draw of a frame after which pictures differ, by bisection: as far as pictures that differ once stay different.
 * `count`: how many {@link Step}s there are. `differs`: whether the pictures after a number of them do, or at the end of the frame; it is
 * asked about ⌈log₂ count⌉ + 3 moments at most. `hear` gets how many were looked at. Resolves with null once `differs` does.
 */
export async function firstDraw(
  count: number,
  differs: (moment: number | 'end') => Promise<boolean | null>,
  hear: (looked: number) => void,
): Promise<FirstDraw | null> {
  let looked = 0;
  const look = async (moment: number | 'end') => {
    const answer = await differs(moment);
    looked += 1;
    hear(looked);
    return answer;
  };
  const atEnd = await look('end');
  if (atEnd === null) return null;
  if (!atEnd) return { is: 'equal' };
  let [equal, different] = [0, count + 1];
  // The last one first: from there on, what differs is known to begin within.
  let next = count;
  while (different - equal > 1) {
    const answer = await look(next);
    if (answer === null) return null;
    if (answer) different = next;
    else equal = next;
    next = (equal + different) >> 1;
  }
  if (different > 1 || count === 0) return different > count ? { is: 'after' } : { is: 'draw', number: different };
  // Nothing has shown yet that the frame begins with equal pictures.
  const before = await look(0);
  if (before === null) return null;
  return before ? { is: 'before' } : { is: 'draw', number: 1 };
}

/** Moments that a search looks at, as far as that is known before. */
export function momentsOf(count: number): number {
  return 2 + Math.ceil(Math.log2(Math.max(1, count)));
}
