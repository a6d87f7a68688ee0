import type { StepsFile } from '../base/steps_protocol.ts';
import { isDatabase } from './records.ts';
import type { Trace } from './trace.ts';

/** What reads the steps of a trace by itself opens. Resolves with null if the trace's worker has ended. */
export async function stepsFileOf({
  info: known,
  recordSource,
}: Pick<Trace, 'info' | 'recordSource'>): Promise<StepsFile | null> {
  const info = known.peek();
  const file = await recordSource.file();
  const needsIndex = info !== null && !isDatabase(info);
  const records = needsIndex ? await recordSource.index() : null;
  if (!info || !file || (needsIndex && !records)) return null;
  return { file, log: recordSource.log(), format: info.format, records };
}
