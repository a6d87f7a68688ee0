/*
 * The worker that indexes the steps of a trace. It is never reset: the page terminates it with the trace.
 */

import { callByName, methods } from '../../../base/remote.ts';
import type { Indexed, Steps, StepsFile } from '../../../base/steps_protocol.ts';
import { createBuilding } from '../../../trace/worker/building.ts';
import { createDisassemblerLoader } from '../../../trace/worker/disassembler.ts';
import type { Disassembler } from '../../../trace/worker/instructions.ts';
import { openDatabase, startReader } from '../../../trace/worker/loading.ts';
import { RecordFile } from '../../../trace/worker/record_file.ts';
import { createScheduler } from '../../../trace/worker/scheduler.ts';
import { serveToPage } from '../../../trace/worker/serving.ts';
import { databaseBytes } from '../../../trace/worker/sqlite.ts';
import init from '../../../worker/wasm/unspool_index.js';
import { createAccessSteps } from './access_steps.ts';
import { createRunSteps } from './run_steps.ts';
import type { StepIndex } from './step_index.ts';

/** Minimum time between two reports. */
const REPORT_MS = 100;
/** Bytes of memory for the index: wasm has four gigabytes, and growing a column takes its length once more. */
const MOST_BYTES = 1_500_000_000;
/** Questions about what instructions do. */
const ABOUT_CODE: ReadonlySet<string> = new Set<keyof Steps>(['origins', 'uses']);

const load = startReader(() => init());
const loadDisassembler = createDisassemblerLoader();
const scheduler = createScheduler();
let disassembler: Disassembler | undefined;
/** The index has steps that questions do not see yet. */
let isOpen = false;

function seal(index: StepIndex): void {
  if (isOpen) index.seal();
  isOpen = false;
}

const building = createBuilding<StepIndex, StepsFile, Indexed>(
  {
    open: async ({ file, log, format, records }) => {
      if (records) {
        await load();
        return createAccessSteps(new RecordFile(file), format, records, MOST_BYTES, () => disassembler);
      }
      const disassembling = loadDisassembler().catch(() => undefined);
      await load();
      return createRunSteps(await openDatabase(databaseBytes(file, log)), await disassembling, MOST_BYTES);
    },
    turn: (index) => {
      const isDone = index.build();
      isOpen = true;
      if (isDone) seal(index);
      return isDone;
    },
    arrival: (index) => index.arrival?.() ?? null,
    news: (index, { isDone }) => {
      const { built, count, bytes, full } = index.progress();
      return { built, count, bytes, full, done: isDone };
    },
    reportMs: REPORT_MS,
  },
  scheduler,
);

const answer = (question: string, args: readonly unknown[]) =>
  building.answer(async (index) => {
    if (index.beginAgainFor?.(question)) {
      isOpen = false;
      building.again();
      return null;
    }
    if (ABOUT_CODE.has(question)) disassembler ??= await loadDisassembler().catch(() => undefined);
    seal(index);
    return callByName(index.questions, question, args) ?? null;
  });

/** Resolves when it is the turn of a question that takes many. */
const turn = () =>
  new Promise<void>((resolve) => {
    scheduler.add('rest', () => {
      resolve();
      return false;
    });
  });

serveToPage(
  methods<Steps>(answer, {
    ...building.turns,
    loops: async (tellShare, stop) => {
      for (let first = true; !stop.aborted; first = false) {
        const { share, loops } = await building.answer((index) => {
          seal(index);
          return index.loops(first);
        });
        if (loops) return loops;
        tellShare(share);
        await turn();
      }
      return null;
    },
  }),
);
