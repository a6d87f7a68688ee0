import { type CutJob, KEEP_EVERYTHING } from '../base/export_protocol.ts';
import type { RemoteWorker } from '../base/remote.ts';
import { startWorker } from '../base/workers.ts';
import cutWorker from '../features/export/worker/cut.ts?worker&url';
import type { Sink } from './save_file.ts';
import type { Trace } from './trace.ts';
import { type Written, writeBy } from './writing.ts';

/** Starts a worker that writes a {@link CutJob}. */
export function startCutWorker(): RemoteWorker {
  return startWorker(cutWorker);
}

/** Writes a trace of some of an apitrace's calls: stretches of numbers, the begin and the end of each, exclusive. */
export async function writeCalls(
  trace: Pick<Trace, 'recordSource'>,
  file: Blob,
  only: Float64Array,
  sink: Sink,
  stopped: Promise<null>,
  hear: (share: number) => void,
): Promise<Written | null> {
  const to = BigInt(only.at(-1) ?? 0);
  const job: CutJob = { file, from: 0n, to, only, clean: KEEP_EVERYTHING, preview: false };
  return writeBy(trace, job, startCutWorker, sink, stopped, hear);
}
