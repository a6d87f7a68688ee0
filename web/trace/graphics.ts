import { give, type RemoteWorker } from '../base/remote.ts';
import type { Dispose } from '../base/scope.ts';
import type { CallsPart, Graphics, OpensCalls } from '../base/survey_protocol.ts';
import { createService } from './service.ts';
import type { Trace } from './trace.ts';

/** The worker that reads the calls of an apitrace. It runs while a part does. */
export interface GraphicsWorker {
  /** What starts a part, as if it were a worker of its own. */
  part(part: CallsPart): {
    readonly spawn: () => RemoteWorker;
    /** Resolves with null if the worker cannot begin: the trace's own has ended. */
    readonly open: () => Promise<OpensCalls | null>;
  };
  /** What another worker reads the file by, so that it is read once for both. null if this one reads nothing. */
  share(): Promise<MessagePort | null>;
  readonly dispose: Dispose;
}

/** Bytes of a file that are kept in memory, if that is all of it. */
const MOST_KEPT = 64 << 20;
/** Of a larger file: enough for parts that read it at the same time, until they have read it. */
const KEPT_IN_PASSING = 16 << 20;

/** The worker for a trace. `spawn` starts it. */
export function createGraphics(trace: Pick<Trace, 'recordSource'>, spawn: () => RemoteWorker): GraphicsWorker {
  let running: readonly RemoteWorker[] = [];
  /** The file, as the worker gets it with the first part. */
  let opening: Promise<OpensCalls | null> | null = null;
  /** Enters what is kept of the file in the account of memory. */
  const enter = (bytes: number) =>
    trace.recordSource.ledger?.set('file', {
      noun: 'copies of parts of the file',
      bytes,
      free: () => void service.remote().letGo(),
    });
  const service = createService<Graphics>(spawn, (message) => {
    enter(0);
    const ended = running;
    running = [];
    opening = null;
    for (const part of ended) part.onerror?.(new ErrorEvent('error', { message }));
  });
  const end = () => {
    running = [];
    opening = null;
    enter(0);
    service.end();
  };
  const open = async (): Promise<OpensCalls | null> => {
    const file = await trace.recordSource.file();
    const records = await trace.recordSource.index(true);
    if (!file || !records) {
      opening = null;
      return null;
    }
    const room = trace.recordSource.ledger?.room('file') ?? MOST_KEPT;
    const mostBytes = file.size <= Math.min(MOST_KEPT, room) ? file.size : Math.min(KEPT_IN_PASSING, room);
    enter(mostBytes);
    void service.remote().open({ file, records: give(records), mostBytes });
    return true;
  };
  const start = (what: CallsPart): RemoteWorker => {
    const { port1, port2 } = new MessageChannel();
    const part = Object.assign(port1, {
      onerror: null,
      terminate: () => {
        port1.close();
        if (!running.includes(part)) return;
        running = running.filter((other) => other !== part);
        if (running.length === 0) end();
        else void service.remote().end(what);
      },
    });
    running = [...running, part];
    void service.remote().serve(what, port2);
    return part;
  };
  return {
    part: (what) => ({
      spawn: () => start(what),
      open: () => {
        opening ??= open();
        return opening;
      },
    }),
    share: async () => {
      if (!(await opening)) return null;
      const { port1, port2 } = new MessageChannel();
      void service.remote().share(port2);
      return port1;
    },
    dispose: end,
  };
}
