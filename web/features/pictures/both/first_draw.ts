/** What a search for the first draw whose picture differs has found. */
export type FirstDraw =
  /** Draw number `number`, from 1, is the first after which pictures differ. */
  | { readonly is: 'draw'; readonly number: number }
  /** The pictures at the end of the frame are equal. */
  | { readonly is: 'equal' }
  /** Pictures differ before anything is drawn. */
  | { readonly is: 'before' }
  /** After all draws that both have, the pictures are equal: what follows is in one of them only, or draws nothing. */
  | { readonly is: 'after' };

/**
 * Finds the first draw of a frame after which pictures differ, by bisection: as far as pictures that differ once stay different.
 * `count`: draws that both sides have. `differs`: whether the pictures after a number of draws do, or at the end of the frame; it is
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
  // The last draw of both first: from there on, what differs is known to begin within.
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
