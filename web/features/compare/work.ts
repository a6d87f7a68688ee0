import { formatPercent } from '../../base/format.ts';

/** How far a comparison is. */
export type Work<Done> =
  /** It was not asked for yet, or the traces have to be read first. */
  | { readonly at: 'waiting' }
  /** `share`: from 0 to 1. */
  | { readonly at: 'working'; readonly share: number }
  | { readonly at: 'failed'; readonly sentence: string }
  | ({ readonly at: 'done' } & Done);

/** What stands in place of a result that is not there yet. */
export function wordsOf(work: Work<unknown>): string {
  switch (work.at) {
    case 'working':
      return `Comparing… ${formatPercent(work.share, 1)}`;
    case 'failed':
      return work.sentence;
    default:
      return 'The traces are compared once both have been read.';
  }
}
