import type { FromWorker, ToWorker } from '../base/protocol.ts';
import type { Session } from './session.ts';

type Statistics = Extract<ToWorker, { t: 'statistics' }>;
type Percentiles = Extract<ToWorker, { t: 'percentiles' }>;

/** What scans need from the worker. */
export interface ScanHost {
  /** Runs a scan on the session, if there is one. */
  run(scan: (session: Session) => void): void;
  /** Whether the file is still being read. */
  reading(): boolean;
  send(message: FromWorker): void;
}

/** Scans over slices, in turns with the worker's other tasks. A newer question of a kind supersedes the older one. */
export interface Scanner {
  statistics(question: Statistics): void;
  percentiles(question: Percentiles): void;
}

/** Length of a turn; afterwards the worker handles waiting messages. */
const TURN_MS = 8;
/** Slices a step. */
const STEP_SLICES = 200_000;
/**
 * A scan that takes longer than this sends an estimate first. While the file is being read the estimate is also the
 * last reply: exact numbers would be out of date at once.
 */
const ESTIMATE_AFTER_MS = 40;

/** A scanner without a question. */
export function createScanner(host: ScanHost): Scanner {
  const later = new MessageChannel();
  let statistics: { question: Statistics; began: number; sent: boolean } | null = null;
  let percentiles: Percentiles | null = null;
  let scheduled = false;

  const schedule = () => {
    if (scheduled || (!statistics && !percentiles)) return;
    scheduled = true;
    later.port2.postMessage(null);
  };
  /** Sends the current numbers. Returns false if the session has too little for an estimate. */
  const send = (session: Session, { id, functions, flame }: Statistics): boolean => {
    const answer = session.statistics(functions, flame ?? undefined);
    if (!answer) return false;
    host.send({ t: 'statistics', id, ...answer });
    return true;
  };
  const scanOn = (session: Session, scan: NonNullable<typeof statistics>) => {
    const until = performance.now() + TURN_MS;
    let done = false;
    while (!done && performance.now() < until) done = session.stepStatistics(STEP_SLICES);
    if (done) {
      statistics = null;
      send(session, scan.question);
    } else if (!scan.sent && performance.now() - scan.began > ESTIMATE_AFTER_MS) {
      scan.sent = send(session, scan.question);
      if (scan.sent && host.reading()) statistics = null;
    }
  };
  const searchOn = (session: Session, { id }: Percentiles) => {
    const until = performance.now() + TURN_MS;
    let found: ReturnType<Session['stepPercentiles']>;
    while (found === undefined && performance.now() < until) found = session.stepPercentiles(STEP_SLICES);
    if (found === undefined) return;
    percentiles = null;
    host.send({ t: 'percentiles', id, percentiles: found });
  };
  later.port1.onmessage = () => {
    scheduled = false;
    host.run((session) => {
      if (statistics) scanOn(session, statistics);
      else if (percentiles) searchOn(session, percentiles);
      schedule();
    });
  };

  return {
    statistics: (question) =>
      host.run((session) => {
        session.beginStatistics(question.from, question.to, question.tracks);
        statistics = { question, began: performance.now(), sent: false };
        schedule();
      }),
    percentiles: (question) =>
      host.run((session) => {
        session.beginPercentiles(question.from, question.to, question.tracks, question.name);
        percentiles = question;
        schedule();
      }),
  };
}
