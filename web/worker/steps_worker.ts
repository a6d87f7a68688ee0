import type { FromSteps, ToSteps } from '../base/steps_protocol.ts';
import { createAccessSteps } from './access_steps.ts';
import { createDisassemblerLoader } from './disassembler.ts';
import { asTraceError, isTrap } from './errors.ts';
import { openDatabase, startReader } from './loading.ts';
import { RecordFile } from './record_file.ts';
import { createRunSteps } from './run_steps.ts';
import { createScheduler } from './scheduler.ts';
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
  const scheduler = createScheduler();
  const loadDisassembler = createDisassemblerLoader();
  let index: Promise<StepIndex> | null = null;
  let isDone = false;
  let isPaused = false;
  /** Counts the times that the indexing began or went on: turns of an earlier time end. */
  let run = 0;
  let reportedAt = 0;
  /** The index has steps that questions do not see yet. */
  let isOpen = false;
  const sentenceOf = (thrown: unknown) => (typeof thrown === 'string' ? thrown : asTraceError(thrown).sentence);
  const report = (open: StepIndex) => {
    reportedAt = performance.now();
    const { built, count, bytes, full } = open.progress();
    post({ t: 'indexed', built, count, bytes, full, done: isDone });
  };
  const build = (open: StepIndex) => {
    run += 1;
    const mine = run;
    const turn = () => {
      try {
        isDone = open.build();
        isOpen = true;
      } catch (thrown) {
        isDone = true;
        post({ t: 'failed', sentence: sentenceOf(thrown) });
        if (isTrap(thrown)) reportError(thrown);
        return;
      }
      if (isDone) {
        open.seal();
        isOpen = false;
      }
      if (isDone || performance.now() - reportedAt > REPORT_MS) report(open);
      if (!isDone) void Promise.resolve(open.arrival?.()).then(next);
    };
    const next = () => {
      scheduler.add('rest', () => {
        if (!isPaused && run === mine) turn();
        return false;
      });
    };
    next();
  };

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
  const answer = async (ask: Ask) => {
    const { id } = ask;
    try {
      const open = await index;
      if (!open) return;
      // Without it, what an instruction reads is taken from what the trace says of its step.
      const isAboutCode = ask.about === 'origins' || ask.about === 'uses';
      const disassembler = isAboutCode ? await loadDisassembler().catch(() => undefined) : undefined;
      if (isOpen) {
        open.seal();
        isOpen = false;
      }
      post({ t: 'answer', id, answer: open.answer(ask, disassembler), error: null });
    } catch (thrown) {
      post({ t: 'answer', id, answer: null, error: sentenceOf(thrown) });
      if (isTrap(thrown)) reportError(thrown);
    }
  };

  return {
    handle: (message) => {
      switch (message.t) {
        case 'open':
          index = opening(message);
          index.then(build, (thrown) => post({ t: 'failed', sentence: sentenceOf(thrown) }));
          return;
        case 'pause':
          isPaused = true;
          void index?.then(report, () => undefined);
          return;
        case 'go-on':
          if (!isPaused) return;
          isPaused = false;
          if (!isDone) void index?.then(build, () => undefined);
          return;
        case 'ask':
          void answer(message);
          return;
      }
    },
  };
}
