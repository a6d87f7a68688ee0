import type { Cell, StepQuestions } from '../../../base/steps_protocol.ts';
import type { Disassembler } from '../../../trace/worker/instructions.ts';
import { type RecordFile, STEP_BYTES } from '../../../trace/worker/record_file.ts';
import { type Accesses, Explorer, Keeps } from '../../../worker/wasm/unspool_index.js';
import { createLoopSteps } from './loop_steps.ts';
import { filteredQuestions } from './step_filters.ts';
import { executedQuestions, type StepIndex } from './step_index.ts';

/**
 * Steps above which values of memory are read from the file when they are asked for: with them, a step takes about nine bytes,
 * without them six.
 */
const MOST_WITH_VALUES = 120_000_000;
/** Bytes of a file with that many steps, at the hundred bytes of a step with operands. */
const MOST_FILE_WITH_VALUES = MOST_WITH_VALUES * 100;

/** Questions that the addresses of instructions alone do not answer. */
const ABOUT_ACCESSES: ReadonlySet<string> = new Set<keyof StepQuestions>([
  'state',
  'memory',
  'nearest',
  'history',
  'origins',
  'uses',
]);

/**
 * The index of a trace that says what its steps read and write. It begins without that, which is all that coverage, loops and
 * walking need, and is read again from the beginning with the first question about accesses. `records` is the index that the session made, `limit` the most
 * bytes of memory. `disassembler` is there once origins or uses are asked for, unless it does not load: then what an instruction
 * reads is taken from what the trace says of its step. Throws a sentence if the format does not say what steps access.
 */
export function createAccessSteps(
  file: RecordFile,
  format: string,
  records: Uint8Array,
  limit: number,
  disassembler: () => Disassembler | undefined,
): StepIndex {
  let keeps = Keeps.Executions;
  let open = new Explorer(format, records, file, keeps, limit);
  /** The latest history: walking through it asks again and again. */
  let latest: { readonly key: string; readonly built: number; readonly accesses: Accesses } | null = null;

  const historyOf = (cell: Cell, built: number): Accesses => {
    const key = cell.what === 'memory' ? `${cell.address}+${cell.len}` : `${cell.thread} ${cell.name}`;
    if (latest?.key !== key || latest.built !== built) {
      latest?.accesses.free();
      latest = { key, built, accesses: open.history(cell) };
    }
    return latest.accesses;
  };
  let loops = createLoopSteps(open);
  const beginAgain = () => {
    keeps = file.size <= MOST_FILE_WITH_VALUES ? Keeps.AccessesAndValues : Keeps.Accesses;
    open.free();
    open = new Explorer(format, records, file, keeps, limit);
    loops = createLoopSteps(open);
    file.at = 0;
  };
  /** The answer about a step that is indexed, otherwise null. */
  const at = <A>(step: number, answer: () => A, built = open.progress().built) => (step < built ? answer() : null);
  const questions: StepQuestions = {
    ...filteredQuestions(
      () => ({ index: open, built: open.progress().built }),
      (step, kind, next) => open.walk(step, kind, next) ?? null,
    ),
    ...executedQuestions(() => open),
    kinds: () => open.kinds(),
    state: (step) => at(step, () => open.registers(step, undefined)),
    memory: (step, address, len) => at(step, () => open.memory(step, address, len)),
    nearest: (step, cell, written, next) =>
      at(step, () => open.nearest(step, cell, written ?? undefined, next) ?? null),
    history: (step, cell, most) =>
      at(step, () => {
        const accesses = historyOf(cell, open.progress().built);
        const before = accesses.before(step);
        const first = Math.max(0, Math.min(before - Math.floor(most / 2), accesses.count - most));
        return { count: accesses.count, before, first, rows: open.rows(accesses, first, most) };
      }),
    execution: (address, from, number) => (number < 0 ? null : (open.execution(address, from, number) ?? null)),
    // An origin after the last step is that of what the step has written.
    origins: (step, cell) => at(step, () => open.origins(step, cell, disassembler()), open.progress().built + 1),
    uses: (step, cell, most) => at(step, () => open.uses(step, cell, most, disassembler())),
  };
  return {
    build: () => {
      const { of } = open.progress();
      const isDone = open.build(Math.max(1, Math.round((of * STEP_BYTES) / file.size)));
      file.at = (open.progress().pieces / Math.max(1, of)) * file.size;
      return isDone;
    },
    seal: () => open.seal(),
    progress: () => open.progress(),
    questions,
    loops: (first) => loops(first),
    beginAgainFor: (question) => {
      if (keeps !== Keeps.Executions || !ABOUT_ACCESSES.has(question)) return false;
      beginAgain();
      return true;
    },
    arrival: () => file.arrival(),
  };
}
