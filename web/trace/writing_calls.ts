import type { Clean, Cleaned, CutJob } from '../base/export_protocol.ts';
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

/** Calls of an apitrace that are written: stretches of numbers, the begin and the end of each, exclusive. */
export interface WantedCalls {
  readonly only: Float64Array;
  /** Calls whose texts stay as they are. */
  readonly texts: Float64Array;
  readonly clean: Clean;
  /** Nothing is written: it ends once there are examples of what is cleaned. */
  readonly preview: boolean;
}

/** Writes a trace of some of an apitrace's calls. */
export async function writeCalls(
  trace: Pick<Trace, 'recordSource'>,
  file: Blob,
  calls: WantedCalls,
  sink: Sink,
  stopped: Promise<null>,
  hear: (share: number) => void,
): Promise<(Written & { readonly cleaned: Cleaned }) | null> {
  const to = BigInt(calls.only.at(-1) ?? 0);
  const job: CutJob = { file, from: 0n, to, ...calls };
  return writeBy(trace, job, startCutWorker, sink, stopped, hear);
}
