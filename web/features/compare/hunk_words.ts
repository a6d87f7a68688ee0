import { formatCount, formatCounted } from '../../base/format.ts';
import type { Hunk } from './records.ts';

/** What a difference is, in words. `noun`: what a record is called. */
export function whatDiffers(
  { counts: [inA, inB], kind, loop, around }: Pick<Hunk, 'counts' | 'kind' | 'loop' | 'around'>,
  noun: string,
): string {
  const [more, side] = inA > 0 ? [inA, 'A'] : [inB, 'B'];
  switch (kind) {
    case 'only-a':
    case 'only-b':
      return `${formatCounted(more, noun)} only in ${side}`;
    case 'arguments':
      // Of an instruction that differs, the address is the same.
      return noun === 'call'
        ? `Other arguments in ${formatCounted(inA, noun)}`
        : `${formatCounted(inA, noun)} with other contents`;
    case 'order':
      return `${formatCounted(more, noun)} in another order`;
    case 'iterations': {
      if (!loop) return '';
      const [a, b] = loop.counts;
      const [first, last] = loop.same;
      const ends = first ? (last ? '' : 'the last ones') : last ? 'the first ones' : 'the first and the last ones';
      return `Iterations: ${formatCount(a)} in A, ${formatCount(b)} in B, of ${formatCounted(loop.records, noun)}${ends && `; ${ends} differ`}`;
    }
    case 'inside':
      return around ? `The calls of ${around.inner} are inside of ${around.outer} in ${around.side}` : '';
    case 'other':
      return `${formatCount(inA)} in A, ${formatCount(inB)} in B`;
  }
}
