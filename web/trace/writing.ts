import type { Cleaned, CutJob, ExportJob, Writer } from '../base/export_protocol.ts';
import { give, type RemoteWorker } from '../base/remote.ts';
import { sweepSoon } from '../base/spools.ts';
import type { Sink } from './save_file.ts';
import { createService } from './service.ts';
import type { Trace } from './trace.ts';

/** Why nothing more can be asked of a trace. */
export const READER_STOPPED = 'The reader of this trace has stopped.';

/** Hears how far a file is: the share of the work that is done, and the bytes that are written. */
export type Tell = (share: number, bytes: number) => void;

/** What came of an export. */
export interface Written {
  readonly rows: number;
  readonly bytes: number;
  readonly stopped: string;
}

/** Has a worker write a file, and ends it. Resolves with null once `stopped` has. Rejects with a sentence. */
export async function writeBy(
  trace: Pick<Trace, 'recordSource'>,
  job: ExportJob | CutJob,
  spawn: () => RemoteWorker,
  sink: Sink,
  stopped: Promise<null>,
  tell: Tell,
): Promise<(Written & { readonly cleaned: Cleaned }) | null> {
  /** What ended it, unless that was the worker's own failure. */
  let end: string | null = null;
  const service = createService<Writer<ExportJob | CutJob>>(spawn, (reason) => {
    end = `The export stopped (${reason || 'no reason given'}).`;
  });
  const { port1, port2 } = new MessageChannel();
  const gone = trace.recordSource.share(port1).then(() => {
    throw new Error(READER_STOPPED);
  });
  const args = 'args' in job ? job.args : null;
  // Reading arguments counts as half of the work.
  const reading = args ? 0.5 : 0;
  const run = async () => {
    const { write, result } = service.remote();
    let bytes = 0;
    for await (const portion of write(job, port2, (share) => tell(share * reading, 0))) {
      await sink.write(portion.bytes);
      bytes += portion.bytes.length;
      tell(portion.rows > 0 ? reading + (1 - reading) * (portion.done / portion.rows) : 0, bytes);
    }
    const { head, rows: count, cleaned, stopped: why = '' } = await result();
    if (head) await sink.overwrite(head);
    return { rows: count, bytes, cleaned, stopped: why };
  };
  try {
    if (args) give(args.index);
    return await Promise.race([stopped, gone, run()]);
  } catch (thrown) {
    throw end === null ? thrown : new Error(end);
  } finally {
    service.end();
    gone.catch(() => undefined);
    if (args) sweepSoon();
  }
}
