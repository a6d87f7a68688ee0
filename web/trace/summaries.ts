import { isRanged } from '../base/ranged.ts';
import { connect, give } from '../base/remote.ts';
import type { StepsFile } from '../base/steps_protocol.ts';
import type { FindsInSteps, StandingNews } from '../base/summary_protocol.ts';
import type { TraceService } from '../base/trace_protocol.ts';
import { watch } from '../base/watch.ts';
import { startWorker } from '../base/workers.ts';
import findingsWorker from '../features/steps/worker/findings.ts?worker&url';
import type { FileMemory } from './file_memory.ts';
import { findingsOf } from './findings.ts';
import { type Opened, perTrace } from './per_trace.ts';
import { createReadingWorker } from './reading_worker.ts';
import { isDatabase } from './records.ts';
import { givenName, ownName } from './statement_names.ts';
import { stepsFileOf } from './steps_file.ts';
import { createSummary, type SummarySource } from './summary.ts';
import type { Trace } from './trace.ts';

/** What stands out in a trace. The first call begins to look for it. */
export const summaryOf = perTrace((open: Opened & { readonly memory: FileMemory }) =>
  createSummary(open.trace, open.memory, () => sourceOf(open)),
);

/** What looks for it, by what the trace offers; null if nothing does. */
async function sourceOf(open: Opened): Promise<SummarySource | null> {
  const { trace } = open;
  const info = trace.info.peek();
  const offers = info?.offers ?? [];
  const file = await trace.recordSource.file();
  // What is at an address would be loaded once more, which was not asked for.
  if (!file || (isRanged(file) && !offers.includes('time'))) return null;
  if (offers.includes('graphics')) return ofGraphics(open);
  if (offers.includes('values')) return ofValues(trace);
  if (offers.includes('state') || (info && isDatabase(info))) return ofSteps(trace);
  return offers.includes('time') ? ofCalls(trace) : null;
}

/** Calls of OpenGL: the search of the Findings panel, which then has what it looked for. */
function ofGraphics(open: Opened): SummarySource {
  return {
    look: (report, fail) => {
      let isOver = false;
      findingsOf(open)?.ahead(({ share, isDone, standing = [], error }) => {
        if (isOver) return;
        if (error !== '') fail();
        else report({ share, bytes: 0, isDone, found: standing });
      });
      return () => {
        isOver = true;
      };
    },
  };
}

/** Values of variables. */
function ofValues({ records, names }: Trace): SummarySource {
  return {
    look: (report, fail) => {
      let isOver = false;
      const tell = (news: Omit<StandingNews, 'bytes'>) => {
        // The values that are kept are in the account by themselves.
        if (!isOver) report({ ...news, bytes: 0 });
      };
      const look = async () => {
        const statements = await records.aboutValues((values) => values.statements(null));
        if (isOver || !statements) return fail();
        const shown = Array.from(
          statements.count,
          (_, number) => givenName(names, statements, number) || ownName(statements, number),
        );
        const hear = (share: number) => tell({ share, isDone: false, found: [] });
        const found = await records.aboutValues((values) => values.standing(shown, hear));
        if (found) tell({ share: 1, isDone: true, found });
        else fail();
      };
      void look();
      return () => {
        isOver = true;
      };
    },
  };
}

/** Steps of frames and of block traces: a worker that ends with the search. */
function ofSteps(trace: Trace): SummarySource {
  return {
    look: (report, fail) => {
      const worker = createReadingWorker<FindsInSteps, StepsFile, StandingNews>(trace, {
        spawn: () => startWorker(findingsWorker),
        open: () => stepsFileOf(trace),
        hear: (news) => {
          report(news.isDone ? { ...news, bytes: 0 } : news);
          if (news.isDone) worker.dispose();
        },
        crashed: 'The search for what stands out ended unexpectedly.',
      });
      const unwatch = watch([worker.error], () => {
        if (worker.error.peek() !== '') fail();
      });
      return () => {
        unwatch();
        worker.dispose();
      };
    },
  };
}

/** Calls that take time: the worker of the trace, which has them. */
function ofCalls(trace: Trace): SummarySource {
  return {
    look: (report, fail) => {
      const { port1, port2 } = new MessageChannel();
      // The other end closes with the trace.
      void trace.recordSource.share(port1);
      const { remote, close } = connect<TraceService>(port2);
      const stop = new AbortController();
      const clock = trace.info.peek()?.clock;
      const gaps = [...trace.tracks.peek().values()].flatMap(({ id, gaps: ends = [] }) =>
        Array.from({ length: ends.length / 2 }, (_, i) => [BigInt(id), BigInt(ends[2 * i]!), BigInt(ends[2 * i + 1]!)]),
      );
      const what = {
        frequency: clock?.kind === 'seconds' ? clock.frequency : 0n,
        gaps: give(BigUint64Array.from(gaps.flat())),
      };
      let held = 0;
      const hear = (share: number, bytes: number) => {
        held = bytes;
        report({ share, bytes, isDone: false, found: [] });
      };
      remote.findInCalls(what, hear, stop.signal).then(
        (found) => found && report({ share: 1, bytes: held, isDone: true, found }),
        () => fail(),
      );
      return () => {
        stop.abort();
        close(null);
        port2.close();
      };
    },
  };
}
