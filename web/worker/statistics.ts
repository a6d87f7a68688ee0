import type { FromWorker, ToWorker } from '../base/protocol.ts';
import type { Session } from './session.ts';

type Statistics = Extract<ToWorker, { t: 'statistics' }>;
type Percentiles = Extract<ToWorker, { t: 'percentiles' }>;

/** What scans need from the worker. */
export interface ScanHost {
  /** Runs something on the session, if there is one. */
  run(scan: (session: Session) => void): void;
  /** Whether the file is still being read. */
  reading(): boolean;
  send(message: FromWorker, transfer: Transferable[]): void;
}

/** Scans over slices, a turn at a time; the newest question of each kind is answered. */
export interface Scanner {
  statistics(question: Statistics): void;
  percentiles(question: Percentiles): void;
}

/** After so long, messages get their turn. */
const TURN_MS = 8;
const STEP_SLICES = 200_000;
/** What is not known by then is estimated first. While the file is read that is all: it would be out of date at once. */
const ESTIMATE_AFTER_MS = 40;

/** Scans for the questions of the page, in turns with whatever else the worker does. */
export function createScanner(host: ScanHost): Scanner {
  const later = new MessageChannel();
  let statistics: { question: Statistics; began: number; told: boolean } | null = null;
  let percentiles: Percentiles | null = null;
  let scheduled = false;

  const schedule = () => {
    if (scheduled || (!statistics && !percentiles)) return;
    scheduled = true;
    later.port2.postMessage(null);
  };
  const tell = (session: Session, question: Statistics) => {
    const answer = session.statistics(question.functions, question.flame ?? undefined);
    if (!answer) return false;
    const { functions, flame } = answer;
    const columns = [functions, flame].flatMap((part) => (part ? Object.values(part) : []));
    const transfer = columns.flatMap((column) => (ArrayBuffer.isView(column) ? [column.buffer as ArrayBuffer] : []));
    host.send({ t: 'statistics', id: question.id, ...answer }, transfer);
    return true;
  };
  const scanOn = (session: Session, scan: NonNullable<typeof statistics>) => {
    const until = performance.now() + TURN_MS;
    let done = false;
    while (!done && performance.now() < until) done = session.stepStatistics(STEP_SLICES);
    if (done) {
      statistics = null;
      tell(session, scan.question);
    } else if (!scan.told && performance.now() - scan.began > ESTIMATE_AFTER_MS) {
      scan.told = tell(session, scan.question);
      if (scan.told && host.reading()) statistics = null;
    }
  };
  const searchOn = (session: Session, { id }: Percentiles) => {
    const until = performance.now() + TURN_MS;
    let found: ReturnType<Session['stepPercentiles']>;
    while (found === undefined && performance.now() < until) found = session.stepPercentiles(STEP_SLICES);
    if (found === undefined) return;
    percentiles = null;
    host.send({ t: 'percentiles', id, percentiles: found }, []);
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
        statistics = { question, began: performance.now(), told: false };
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
