import type { Cell, HistoryPart } from '../base/steps_protocol.ts';
import type { Disassembler } from './instructions.ts';
import { createLoopSteps } from './loop_steps.ts';
import { type RecordFile, STEP_BYTES } from './record_file.ts';
import { answerFiltered } from './step_filters.ts';
import { type Answer, type Ask, coverageOf, type StepIndex } from './step_index.ts';
import { type Accesses, Explorer, Keeps } from './wasm/unspool_index.js';

/**
 * Steps above which values of memory are read from the file when they are asked for: with them, a step takes about nine bytes,
 * without them six.
 */
const MOST_WITH_VALUES = 120_000_000;
/** Bytes of a file with that many steps, at the hundred bytes of a step with operands. */
const MOST_FILE_WITH_VALUES = MOST_WITH_VALUES * 100;

/** Questions that the addresses of instructions alone do not answer. */
const ABOUT_ACCESSES: ReadonlySet<Ask['about']> = new Set([
  'state',
  'memory',
  'nearest',
  'history',
  'origins',
  'uses',
] as const);

/**
 * The index of a trace that says what its steps read and write. It begins without that, which is all that coverage, loops and
 * walking need, and is read again from the beginning with the first question about accesses. `records` is the index that the session made, `limit` the most
 * bytes of memory. Throws a sentence if the format does not say that.
 */
export function createAccessSteps(file: RecordFile, format: string, records: Uint8Array, limit: number): StepIndex {
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
  const answer = (ask: Ask, disassembler: Disassembler | undefined): Answer | null => {
    const { built } = open.progress();
    // An origin after the last step is that of what the step has written.
    if ('step' in ask && ask.step >= built + (ask.about === 'origins' ? 1 : 0)) return null;
    const filtered = answerFiltered(open, built, ask, (step) =>
      ask.about === 'walk' ? (open.walk(step, ask.kind, ask.next) ?? null) : null,
    );
    if (filtered !== undefined) return filtered;
    switch (ask.about) {
      case 'matches':
      case 'match':
        return null;
      case 'kinds':
        return open.kinds();
      case 'state':
        return open.registers(ask.step, undefined);
      case 'memory':
        return open.memory(ask.step, ask.address, ask.len);
      case 'nearest': {
        const { step, cell, written, next } = ask;
        return { step: open.nearest(step, cell, written ?? undefined, next) ?? null };
      }
      case 'history': {
        const accesses = historyOf(ask.cell, built);
        const before = accesses.before(ask.step);
        const first = Math.max(0, Math.min(before - Math.floor(ask.most / 2), accesses.count - ask.most));
        const rows = open.rows(accesses, first, ask.most);
        return { count: accesses.count, before, first, rows } satisfies HistoryPart;
      }
      case 'execution':
        return { step: ask.number < 0 ? null : (open.execution(ask.address, ask.from, ask.number) ?? null) };
      case 'origins':
        return { origins: open.origins(ask.step, ask.cell, disassembler) };
      case 'uses':
        return open.uses(ask.step, ask.cell, ask.most, disassembler);
      case 'walk':
        return { step: open.walk(ask.step, ask.kind, ask.next) ?? null };
      case 'loops':
        return loops(ask.first);
      case 'coverage':
        return coverageOf(open, ask);
      case 'drcov':
        return { file: open.drcov(Float64Array.from(ask.steps), ask.program) };
    }
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
    answer,
    beginAgainFor: (ask) => {
      if (keeps !== Keeps.Executions || !ABOUT_ACCESSES.has(ask.about)) return false;
      beginAgain();
      return true;
    },
    arrival: () => file.arrival(),
  };
}
