import { HIT_ORDERS, type HitService } from '../../base/find_protocol.ts';
import type { Session } from './session.ts';

/** Answers questions about the hits of searches. `ask` asks the session, or returns null if there is none. */
export function createHits(ask: <T>(question: (session: Session) => T) => T | null): HitService {
  return {
    hits: (job, among, first, count, order) =>
      ask((open) => open.hits(job, among.first, among.end, first, count, HIT_ORDERS.indexOf(order))),
    rankOfHit: (job, x, item, locator) =>
      ask((open) => open.rankOfHit(job, x, item ?? undefined, locator ?? undefined) ?? null),
    marksOfHits: (...question) => ask((open) => open.marksOfHits(...question) ?? null),
    addHits: (job, found) =>
      ask((open) => {
        const count = open.addHits(job, found);
        return count === undefined ? null : { count, names: open.namesOfHits(job) };
      }),
    columnsOfHits: (job, most) => ask((open) => open.columnsOfHits(job, most) ?? null),
    dropHits: (job) => {
      ask((open) => open.cancelJob(job));
    },
  };
}
