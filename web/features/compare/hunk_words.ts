import { formatCount, formatCounted, plural } from '../../base/format.ts';
import type { Hunk } from './records.ts';

/** What a difference is, in words. `noun`: what a record is called. */
export function whatDiffers({ a, b, kind, turn }: Pick<Hunk, 'a' | 'b' | 'kind' | 'turn'>, noun: string): string {
  const [inA, inB] = [a[1] - a[0], b[1] - b[0]];
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
      const turns = Math.round(more / Math.max(1, turn));
      return `${formatCount(turns)} more ${plural(turns, 'iteration')} in ${side}`;
    }
    case 'other':
      return `${formatCount(inA)} in A, ${formatCount(inB)} in B`;
  }
}
