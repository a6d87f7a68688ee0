import type { Indexed } from '../../../base/steps_protocol.ts';
import type { Disassembler } from '../../../trace/worker/instructions.ts';
import type { SqlFile } from '../../../trace/worker/sqlite.ts';
import { RunIndex } from '../../../worker/wasm/unspool_index.js';
import { createLoopSteps } from './loop_steps.ts';
import { filteredQuestions } from './step_filters.ts';
import { executedQuestions, type StepIndex } from './step_index.ts';

/** Runs of one query: a few milliseconds of SQLite's work. */
const PORTION = 16_384;
/** Bytes of a block at most: longer ones are damaged. */
const LONGEST = 1 << 20;
/** The mode of a block in the database, as bits of the processor's mode. */
const BITS = [64, 32, 16];

/** The index of a block trace: which transitions ran each block. `limit`: the most bytes of memory. */
export function createRunSteps(
  file: SqlFile,
  disassembler: Disassembler | undefined,
  limit: number,
): StepIndex & { readonly index: RunIndex } {
  const index = new RunIndex(limit);
  readBlocks(file, disassembler, index);
  const count = numberOf(file, 'select max(transition_id) from execution') ?? 0;
  let isOver = count === 0;
  let isCut = false;
  /** The last transition fetched. */
  let last = -1;

  const walk = (step: number, kind: string, next: boolean) => {
    // The run of the transition, and its begin: the runs before and after the transition.
    const begin = numberOf(file, `select max(transition_id) from execution where transition_id <= ${step}`) ?? 0;
    const id =
      numberOf(file, `select block_id from execution where transition_id > ${step} order by transition_id limit 1`) ??
      0;
    return index.walk(step, kind, next, id, step - begin) ?? null;
  };
  return {
    index,
    build: () => {
      if (isOver) return true;
      const sql = `select transition_id, block_id from execution where transition_id > ${last} order by transition_id limit ${PORTION}`;
      const { rows, error } = file.doubles(sql, 2);
      const values = file.values().subarray(0, 2 * rows);
      index.runs(values);
      last = values[2 * rows - 2] ?? last;
      // Damage ends the index; what came before stays.
      isCut = error !== null;
      isOver = rows < PORTION || isCut || index.full;
      return isOver;
    },
    seal: () => index.seal(),
    progress: (): Omit<Indexed, 'done'> => ({
      built: isOver && !isCut && !index.full ? count : index.built,
      count,
      bytes: index.bytes,
      full: index.full,
    }),
    // Block traces do not say what instructions read and wrote.
    questions: {
      ...filteredQuestions(
        () => ({ index, built: index.built }),
        (step, kind, next) => (kind === 'step' ? null : walk(step, kind, next)),
      ),
      ...executedQuestions(() => index),
      kinds: () => index.kinds(),
      execution: (address, from, number) => (number === 0 ? (index.firstExecution(address, from) ?? null) : null),
    },
    loops: createLoopSteps(index),
  };
}

/** Adds all blocks to an index, with the beginnings of their instructions. */
function readBlocks(file: SqlFile, disassembler: Disassembler | undefined, index: RunIndex): void {
  const statement = file.database.prepare(
    'select rowid, pc, instruction_data, instruction_count, mode from blocks order by rowid',
  );
  try {
    while (statement.step()) {
      const [id, pc, data, count, mode] = statement.get(null, { useBigInt: true }) as unknown[];
      if (typeof id !== 'bigint' || typeof pc !== 'bigint') continue;
      const bytes = data instanceof Uint8Array ? data.subarray(0, LONGEST) : new Uint8Array();
      const bits = BITS[Number(mode)] ?? 0;
      const address = BigInt.asUintN(64, pc);
      const instructions = Number(count);
      const starts = instructions > 0 && bits > 0 ? disassembler?.starts(bits, address, bytes) : undefined;
      const known = starts?.subarray(0, instructions) ?? new Uint32Array();
      index.block(Number(id), address, bytes, instructions, bits, known);
    }
  } catch {
    // The blocks before the damage are known.
  } finally {
    statement.free();
  }
}

function numberOf(file: SqlFile, sql: string): number | null {
  const { rows } = file.doubles(sql, 1);
  return rows > 0 ? (file.values()[0] ?? null) : null;
}
