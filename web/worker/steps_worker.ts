import type {
  Cell as CellOf,
  Coverage,
  FromSteps,
  HistoryPart,
  Indexed,
  MemoryState,
  Origin,
  StepAccess,
  StepState,
  ToSteps,
  Uses,
} from '../base/steps_protocol.ts';
import { createDisassemblerLoader } from './disassembler.ts';
import { asTraceError, isTrap } from './errors.ts';
import type { Disassembler } from './instructions.ts';
import { startReader } from './loading.ts';
import { RecordFile, STEP_BYTES } from './record_file.ts';
import { createScheduler } from './scheduler.ts';
import init, { type Accesses, Cell, Explorer } from './wasm/unspool_index.js';

/** The worker of one trace's steps. It is never reset. */
export interface StepsWorker {
  /** Handles a message of the page. Replies come through the `post` that the worker was created with. */
  handle(message: ToSteps): void;
}

type Ask = Extract<ToSteps, { t: 'ask' }>;
type Answer = Extract<FromSteps, { t: 'answer' }>['answer'];

/** What `Explorer.progress` returns. */
type Progress = Omit<Indexed, 'done'> & { readonly pieces: number; readonly of: number };

/** Minimum time between two reports. */
const REPORT_MS = 100;
/** Bytes of memory for the index: wasm has four gigabytes, and growing a column takes its length once more. */
const MOST_BYTES = 1_500_000_000;
/**
 * Steps above which values of memory are read from the file when they are asked for: with them, a step takes about nine bytes,
 * without them six.
 */
const MOST_WITH_VALUES = 120_000_000;
/** Bytes of a file with that many steps, at the hundred bytes of a step with operands. */
const MOST_FILE_WITH_VALUES = MOST_WITH_VALUES * 100;

const load = startReader(() => init());

/** A worker without a file; the first message opens one. `post` sends a message to the page. */
export function createStepsWorker(post: (message: FromSteps) => void): StepsWorker {
  const scheduler = createScheduler();
  const loadDisassembler = createDisassemblerLoader();
  let explorer: Promise<Explorer> | null = null;
  let file: RecordFile | null = null;
  let isDone = false;
  let isPaused = false;
  /** Counts the times that the indexing began or went on: turns of an earlier time end. */
  let run = 0;
  let reportedAt = 0;
  /** The index has steps that questions do not see yet. */
  let isOpen = false;
  /** The latest history: walking through it asks again and again. */
  let latest: { readonly key: string; readonly built: number; readonly accesses: Accesses } | null = null;

  const sentenceOf = (thrown: unknown) => (typeof thrown === 'string' ? thrown : asTraceError(thrown).sentence);
  const report = (open: Explorer) => {
    reportedAt = performance.now();
    const { built, count, bytes, full } = open.progress() as Progress;
    post({ t: 'indexed', built, count, bytes, full, done: isDone });
  };
  const build = (open: Explorer) => {
    run += 1;
    const mine = run;
    const turn = () => {
      try {
        const { of } = open.progress() as Progress;
        isDone = open.build(Math.max(1, Math.round((of * STEP_BYTES) / (file?.size ?? STEP_BYTES))));
        isOpen = true;
        if (file) file.at = ((open.progress() as Progress).pieces / Math.max(1, of)) * file.size;
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
      if (!isDone) void Promise.resolve(file?.arrival()).then(next);
    };
    const next = () => {
      scheduler.add('rest', () => {
        if (!isPaused && run === mine) turn();
        return false;
      });
    };
    next();
  };

  const opening = async ({ file: blob, format, records }: Extract<ToSteps, { t: 'open' }>) => {
    await load();
    file = new RecordFile(blob);
    return new Explorer(format, records, file, blob.size <= MOST_FILE_WITH_VALUES, MOST_BYTES);
  };
  const cellOf = (cell: CellOf) =>
    cell.what === 'memory' ? Cell.memory(cell.address, cell.len) : Cell.register(cell.thread ?? undefined, cell.name);
  const withCell = <T>(of: CellOf, use: (cell: Cell) => T): T => {
    const cell = cellOf(of);
    try {
      return use(cell);
    } finally {
      cell.free();
    }
  };
  const historyOf = (open: Explorer, cell: CellOf, built: number): Accesses => {
    const key = cell.what === 'memory' ? `${cell.address}+${cell.len}` : `${cell.thread} ${cell.name}`;
    if (latest?.key !== key || latest.built !== built) {
      latest?.accesses.free();
      latest = { key, built, accesses: withCell(cell, (it) => open.history(it)) };
    }
    return latest.accesses;
  };
  const answerTo = (open: Explorer, ask: Ask, disassembler: Disassembler | undefined): Answer => {
    const { built } = open.progress() as Progress;
    if ('step' in ask && ask.step >= built) return null;
    switch (ask.about) {
      case 'state':
        return open.registers(ask.step, undefined) as StepState;
      case 'memory':
        return open.memory(ask.step, ask.address, ask.len) as MemoryState;
      case 'nearest': {
        const { step, cell, written, next } = ask;
        return { step: withCell(cell, (it) => open.nearest(step, it, written, next)) ?? null };
      }
      case 'history': {
        const accesses = historyOf(open, ask.cell, built);
        const before = accesses.before(ask.step);
        const first = Math.max(0, Math.min(before - Math.floor(ask.most / 2), accesses.count - ask.most));
        const rows = open.rows(accesses, first, ask.most) as StepAccess[];
        return { count: accesses.count, before, first, rows } satisfies HistoryPart;
      }
      case 'execution':
        return { step: ask.number < 0 ? null : (open.executions(ask.address, ask.number, 1)[0] ?? null) };
      case 'origins':
        return { origins: withCell(ask.cell, (it) => open.origins(ask.step, it, disassembler)) as Origin[] };
      case 'uses':
        return withCell(ask.cell, (it) => open.uses(ask.step, it, ask.most, disassembler)) as Uses;
      case 'walk':
        return { step: open.walk(ask.step, ask.kind, ask.next) ?? null };
      case 'coverage':
        return open.coverage() as Coverage;
      case 'drcov':
        return { file: open.drcov(ask.program) };
    }
  };
  const answer = async (ask: Ask) => {
    const { id } = ask;
    try {
      const open = await explorer;
      if (!open) return;
      // Without it, what an instruction reads is taken from what the trace says of its step.
      const isAboutCode = ask.about === 'origins' || ask.about === 'uses';
      const disassembler = isAboutCode ? await loadDisassembler().catch(() => undefined) : undefined;
      if (isOpen) {
        open.seal();
        isOpen = false;
      }
      post({ t: 'answer', id, answer: answerTo(open, ask, disassembler), error: null });
    } catch (thrown) {
      post({ t: 'answer', id, answer: null, error: sentenceOf(thrown) });
      if (isTrap(thrown)) reportError(thrown);
    }
  };

  return {
    handle: (message) => {
      switch (message.t) {
        case 'open':
          explorer = opening(message);
          explorer.then(build, (thrown) => post({ t: 'failed', sentence: sentenceOf(thrown) }));
          return;
        case 'pause':
          isPaused = true;
          void explorer?.then(report, () => undefined);
          return;
        case 'go-on':
          if (!isPaused) return;
          isPaused = false;
          if (!isDone) void explorer?.then(build, () => undefined);
          return;
        case 'ask':
          void answer(message);
          return;
      }
    },
  };
}
