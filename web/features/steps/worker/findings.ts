/*
 * The worker that looks for what stands out among the steps of a trace. It has no index of its own but for block traces, and the
 * page terminates it once it has what was found.
 */

import type { StepsFile } from '../../../base/steps_protocol.ts';
import type { FindsInSteps, StandingFinding, StandingNews } from '../../../base/summary_protocol.ts';
import { createBuilding } from '../../../trace/worker/building.ts';
import { createDisassemblerLoader } from '../../../trace/worker/disassembler.ts';
import { openDatabase, startReader } from '../../../trace/worker/loading.ts';
import { RecordFile, STEP_BYTES } from '../../../trace/worker/record_file.ts';
import { serveToPage } from '../../../trace/worker/serving.ts';
import { databaseBytes, type SqlFile } from '../../../trace/worker/sqlite.ts';
import init, { RunFindings, StepFindings } from '../../../worker/wasm/unspool_index.js';
import { createRunSteps } from './run_steps.ts';

/** Minimum time between two reports. */
const REPORT_MS = 100;
/** Bytes of memory for the runs of a block trace. What does not fit is not looked at. */
const MOST_BYTES = 500_000_000;
/** Interrupts that are looked at. */
const MOST_INTERRUPTS = 1 << 20;
/** Segments of an index that are looked at in a turn. */
const SEGMENTS = 8;
/** The part of the work on a block trace that is its index. */
const INDEXING = 0.7;

/** A search of either kind. */
interface Search {
  /** Returns whether it is done. */
  turn(): boolean;
  arrival(): Promise<void> | null;
  share(): number;
  bytes(): number;
  found(): readonly StandingFinding[];
}

const load = startReader(() => init());
const loadDisassembler = createDisassemblerLoader();

/** The search in steps that say what they read and write. */
function ofSteps({ file: blob, format }: StepsFile, records: Uint8Array): Search {
  const file = new RecordFile(blob);
  const search = new StepFindings(format, records, file);
  return {
    turn: () => {
      // Each piece is read twice.
      const isDone = search.step(Math.max(1, Math.round(((search.pieces / 2) * STEP_BYTES) / file.size)));
      file.at = ((search.done * 2) % Math.max(1, search.pieces)) * (file.size / Math.max(1, search.pieces));
      return isDone;
    },
    arrival: () => file.arrival(),
    share: () => search.done / Math.max(1, search.pieces),
    bytes: () => search.bytes,
    found: () => search.found(),
  };
}

/** The search in the runs of blocks. */
function ofBlocks(file: SqlFile, disassembler: Parameters<typeof createRunSteps>[1]): Search {
  const steps = createRunSteps(file, disassembler, MOST_BYTES);
  const search = new RunFindings();
  let isIndexed = false;
  return {
    turn: () => {
      if (isIndexed) return search.step(steps.index, SEGMENTS);
      isIndexed = steps.build();
      if (!isIndexed) return false;
      steps.seal();
      // Older traces have none.
      const sql = `select transition_id, number, is_hw from interrupts order by transition_id limit ${MOST_INTERRUPTS}`;
      const { rows } = file.doubles(sql, 3);
      search.interrupts(file.values().subarray(0, 3 * rows));
      return false;
    },
    arrival: () => null,
    share: () => {
      const { built, count } = steps.progress();
      return isIndexed ? INDEXING : (INDEXING * built) / Math.max(1, count);
    },
    bytes: () => steps.index.bytes + search.bytes,
    found: () => {
      const part = steps.progress().full ? 'only the runs that fit in memory were looked at' : null;
      return search.found(steps.index).map((it) => ({ ...it, part: it.part ?? part }));
    },
  };
}

const { turns } = createBuilding<Search, StepsFile, StandingNews>({
  open: async (what) => {
    const disassembling = what.records ? undefined : loadDisassembler().catch(() => undefined);
    await load();
    if (what.records) return ofSteps(what, what.records);
    return ofBlocks(await openDatabase(databaseBytes(what.file, what.log)), await disassembling);
  },
  turn: (search) => search.turn(),
  arrival: (search) => search.arrival(),
  news: (search, { isDone }) => ({
    share: search.share(),
    bytes: search.bytes(),
    isDone,
    found: isDone ? search.found() : [],
  }),
  reportMs: REPORT_MS,
});

serveToPage<FindsInSteps>(turns);
