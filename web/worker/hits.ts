import { HIT_ORDERS, type HitAnswer, type HitQuestion } from '../base/find_protocol.ts';
import type { Session } from './session.ts';

/** Answers a question about the hits of a search; null if there is no such search. */
export function answerAbout(session: Session, job: number, ask: HitQuestion): HitAnswer | null {
  switch (ask.what) {
    case 'page':
      return session.hits(job, ask.first, ask.count, HIT_ORDERS.indexOf(ask.order));
    case 'rank':
      return session.rankOfHit(job, ask.x, ask.item ?? undefined, ask.locator ?? undefined) ?? null;
    case 'marks': {
      const { from, to, step, tracks, depths, merged } = ask;
      return session.marksOfHits(job, from, to, step, tracks, depths, merged) ?? null;
    }
    case 'add': {
      const count = session.addHits(job, ask.found);
      return count === undefined ? null : { count, names: session.namesOfHits(job) };
    }
    case 'columns':
      return session.columnsOfHits(job, ask.most) ?? null;
    case 'drop':
      session.cancelJob(job);
      return true;
  }
}
