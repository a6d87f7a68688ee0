import type { FromSteps, ToSteps } from '../base/steps_protocol.ts';
import { createAccessSteps } from './access_steps.ts';
import { createBuilding, handles } from './building.ts';
import { createDisassemblerLoader } from './disassembler.ts';
import { openDatabase, startReader } from './loading.ts';
import { RecordFile } from './record_file.ts';
import { createRunSteps } from './run_steps.ts';
import { databaseBytes } from './sqlite.ts';
import type { Ask, StepIndex } from './step_index.ts';
import init from './wasm/unspool_index.js';

/** The worker of one trace's steps. It is never reset. */
export interface StepsWorker {
  /** Handles a message of the page. Replies come through the `post` that the worker was created with. */
  handle(message: ToSteps): void;
}

/** Minimum time between two reports. */
const REPORT_MS = 100;
/** Bytes of memory for the index: wasm has four gigabytes, and growing a column takes its length once more. */
const MOST_BYTES = 1_500_000_000;
const load = startReader(() => init());

/** A worker without a file; the first message opens one. `post` sends a message to the page. */
export function createStepsWorker(post: (message: FromSteps) => void): StepsWorker {
  const loadDisassembler = createDisassemblerLoader();
  /** The index has steps that questions do not see yet. */
  let isOpen = false;
  const seal = (open: StepIndex) => {
    if (isOpen) open.seal();
    isOpen = false;
  };
  const building = createBuilding<StepIndex>({
    turn: (open) => {
      const isDone = open.build();
      isOpen = true;
      if (isDone) seal(open);
      return isDone;
    },
    arrival: (open) => open.arrival?.() ?? null,
    report: (open, { isDone }) => {
      const { built, count, bytes, full } = open.progress();
      post({ t: 'indexed', built, count, bytes, full, done: isDone });
    },
    reportMs: REPORT_MS,
    failed: (sentence) => post({ t: 'failed', sentence }),
  });

  const opening = async (what: Extract<ToSteps, { t: 'open' }>): Promise<StepIndex> => {
    const { file, log, format, records } = what;
    if (records) {
      await load();
      return createAccessSteps(new RecordFile(file), format, records, MOST_BYTES);
    }
    const disassembling = loadDisassembler().catch(() => undefined);
    await load();
    return createRunSteps(await openDatabase(databaseBytes(file, log)), await disassembling, MOST_BYTES);
  };
  const answerTo = async (open: StepIndex, ask: Ask) => {
    if (open.beginAgainFor?.(ask)) {
      isOpen = false;
      building.again();
      return null;
    }
    // Without it, what an instruction reads is taken from what the trace says of its step.
    const isAboutCode = ask.about === 'origins' || ask.about === 'uses';
    const disassembler = isAboutCode ? await loadDisassembler().catch(() => undefined) : undefined;
    seal(open);
    return open.answer(ask, disassembler);
  };

  return {
    handle: handles(building, opening, answerTo, ({ id }: Extract<ToSteps, { t: 'ask' }>, answer, error) =>
      post({ t: 'answer', id, answer, error }),
    ),
  };
}
