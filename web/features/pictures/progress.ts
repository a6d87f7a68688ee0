/** The progress of a replay's worker. */
export interface ReplayProgress {
  readonly what: 'looking' | 'replaying';
  readonly share: number;
  /** It takes so long that the user may want to end it. */
  readonly isLong: boolean;
}

/** The progress of a question that takes the place of another one. */
export function firstProgress(last: ReplayProgress | null): ReplayProgress {
  return { what: 'replaying', share: 0, ...(last?.what === 'looking' && last), isLong: false };
}

/** The progress that a worker reports. A replay may execute calls a second time, command by command: its share does not go back. */
export function nextProgress(last: ReplayProgress | null, report: ReplayProgress): ReplayProgress {
  return last?.what === report.what ? { ...report, share: Math.max(last.share, report.share) } : report;
}
