import { namesOfIds, shownByName } from '../../base/given_names.ts';
import {
  type Listed,
  MOST_ORDERED,
  type RecordRow,
  type RecordService,
  type RecordSource,
  SEARCH_SLOTS,
  type Surveyed,
  type TabulatedPart,
} from '../../base/record_protocol.ts';
import { connect } from '../../base/remote.ts';
import type { TraceService } from '../../base/trace_protocol.ts';
import init, { type FoundRecords, provideDecompressors, RecordReader } from '../../worker/wasm/unspool_records.js';
import { loadDecompressors } from './decompressors.ts';
import { createDisassemblerLoader } from './disassembler.ts';
import { type AskedTrace, createFinds } from './found.ts';
import { wordsOf } from './instructions.ts';
import { createLanguageLoader, type Language } from './language.ts';
import { openDatabase, startReader } from './loading.ts';
import { RecordFile, STEP_BYTES } from './record_file.ts';
import { backwards, type Key, keyOf, orderOf, type RecordOrder } from './record_order.ts';
import { createScheduler } from './scheduler.ts';
import { databaseBytes } from './sqlite.ts';
import { createAskedValues } from './values.ts';

/** Compiles regular expressions; bound by `crate/wasm/records`. */
interface Expressions {
  compile(source: string, ignoreCase: boolean): InstanceType<Language['Expression']> | undefined;
}

/** How a turn of a pass ends: how far into the file it is, a fraction, or with the result. */
type Turn<T> = { readonly at: number } | { readonly result: T };

/** For a list without a filter. */
const NO_CONDITIONS = { disassembler: undefined, expressions: { compile: () => undefined } satisfies Expressions };

/** Minimum time between two reports about a pass. */
const REPORT_MS = 100;

/** Rows that are read at once to sort a list. */
const ORDERED_AT_ONCE = 1000;

/** About how long a part of the tables of records takes to make. */
const TABULATE_MS = 25;

const loadReader = startReader(() => init());

/** Returns whether it is time for a report: at most every {@link REPORT_MS}. */
function createReports(): () => boolean {
  let reportedAt = performance.now();
  return () => {
    const now = performance.now();
    const isDue = now - reportedAt > REPORT_MS;
    if (isDue) reportedAt = now;
    return isDue;
  };
}

/** A worker without a file; `open` comes first. */
export function createRecordWorker(): RecordService {
  const loadDisassembler = createDisassemblerLoader();
  const loadLanguage = createLanguageLoader();
  const scheduler = createScheduler();
  let opened: RecordSource | null = null;
  let trace!: AskedTrace;
  let reader = new Promise<RecordReader>(() => undefined);
  /** The file of the reader, unless that is a database. */
  let source: RecordFile | null = null;
  /** What ends the passes that go on. */
  const passes = new Set<() => void>();

  const values = createAskedValues(scheduler);
  const openRows = async ({ file, log, format }: RecordSource) => {
    const disassembling = loadDisassembler().catch(() => undefined);
    await loadReader();
    return RecordReader.ofDatabase(format, await openDatabase(databaseBytes(file, log)), await disassembling);
  };
  const openIndex = async ({ file, format }: RecordSource, index: Uint8Array) => {
    await loadReader();
    source = new RecordFile(file);
    const opened = new RecordReader(format, index, source);
    if (opened.needsDecompressor()) await loadDecompressors(provideDecompressors);
    return opened;
  };
  /** How many of the file's pieces a turn reads. Pieces of a database are rows, and have no place in a file. */
  const budgetOf = (pieces: number, ofRows = 64) =>
    source ? Math.max(1, Math.round((pieces * STEP_BYTES) / source.size)) : ofRows;

  /**
   * Calls `turn` at once, and then until it has the result, each time when the bytes that it will read are there. Resolves with
   * null at once if it is stopped.
   */
  const pass = <T>(turn: () => Turn<T>, stop?: AbortSignal): Promise<T | null> =>
    new Promise((resolve, reject) => {
      let remove: (() => void) | null = () => undefined;
      const end = () => {
        remove?.();
        remove = null;
        passes.delete(end);
        stop?.removeEventListener('abort', end);
        resolve(null);
      };
      const next = () => {
        if (!remove) return;
        remove = scheduler.add('rest', () => {
          take();
          return false;
        });
      };
      const take = () => {
        try {
          const made = turn();
          if ('at' in made) {
            if (source) source.at = made.at * source.size;
            void Promise.resolve(source?.arrival()).then(next);
            return;
          }
          resolve(made.result);
        } catch (thrown) {
          reject(thrown);
        }
        end();
      };
      if (stop?.aborted) return resolve(null);
      passes.add(end);
      stop?.addEventListener('abort', end);
      take();
    });

  /** Has `turn` read all pieces of the file, each time as many as take a moment. `progress` hears how far that is. */
  const collected = <T>(
    turn: (budget: number) => { readonly at: number; readonly of: number; readonly found?: T | undefined } | undefined,
    progress: (share: number) => void,
    stop: AbortSignal,
  ): Promise<T | null> => {
    let budget = 8;
    const isDue = createReports();
    return pass<T | null>(() => {
      const made = turn(budget);
      if (!made || made.found) return { result: made?.found ?? null };
      const { at, of } = made;
      budget = budgetOf(of);
      if (isDue()) progress(at / of);
      return { at: at / of };
    }, stop);
  };

  /** Memory for numbers of records that the page has no more use for, while they are made. */
  let spare: ArrayBuffer[] | null = null;
  /** An array, in memory that is reused if there is enough. */
  const moved = (made: Uint32Array) => {
    const place = spare?.findIndex(({ byteLength }) => byteLength >= made.byteLength) ?? -1;
    const [buffer] = place < 0 ? [] : spare!.splice(place, 1);
    if (!buffer) return made;
    const tokens = new Uint32Array(buffer, 0, made.length);
    tokens.set(made);
    // What never was in a message is freed at once. Older browsers collect it.
    if (made.buffer instanceof ArrayBuffer) made.buffer.transfer?.(0);
    return tokens;
  };

  /** What conditions on records may need. */
  const loadForConditions = async () => {
    // Only instructions need it. Without it, no condition about them holds.
    const disassembler = await loadDisassembler().catch(() => undefined);
    const language = await loadLanguage().catch(() => undefined);
    const expressions: Expressions = {
      compile: (source, ignoreCase) => language && new language.Expression(source, ignoreCase),
    };
    return { disassembler, expressions };
  };
  const inWords = async <T extends { readonly fields: Parameters<typeof wordsOf>[0] }>(record: T): Promise<T> => ({
    ...record,
    fields: await wordsOf(record.fields, loadDisassembler),
  });
  /** The order of the list that was made last; null for that of the trace. */
  let order: RecordOrder | null = null;
  const inTrace: RecordService['portion'] = async (first, count) => {
    const rows: RecordRow[] = (await reader).rows(first, count);
    return Promise.all(rows.map(inWords));
  };
  const portion: RecordService['portion'] = async (first, count) => {
    const sorted = order;
    if (!sorted) return inTrace(first, count);
    const open = await reader;
    const most = Math.max(0, Math.min(count, open.listed().rows - first));
    const rows = Array.from({ length: most }, (_, i): readonly RecordRow[] => open.rows(sorted.at(first + i), 1));
    return Promise.all(rows.flat().map(inWords));
  };

  return {
    ...values.service,
    open: (from, port) => {
      opened = from;
      trace = connect<TraceService>(port).remote;
      if (!from.database) return;
      reader = openRows(from);
      // Questions report it.
      reader.catch(() => undefined);
    },
    replaceFile: (file) => {
      if (opened) opened = { ...opened, file };
      source?.replace(file);
    },
    refresh: async () => {
      const began = performance.now();
      const index = await trace.index(false);
      if (!opened || !index) return null;
      const took = performance.now() - began;
      // They would go on with a reader that is freed.
      for (const end of passes) end();
      const previous = reader;
      reader = openIndex(opened, index);
      values.open(opened.file, index);
      reader.catch(() => undefined);
      void previous.then((it) => it.free()).catch(() => undefined);
      return took;
    },
    record: async (locator) => inWords((await reader).details(locator)),
    list: async ({ range, tracks, filter }, hear, stop) => {
      const { disassembler, expressions } = filter ? await loadForConditions() : NO_CONDITIONS;
      const open = await reader;
      if (stop.aborted) return null;
      order = null;
      open.list(range?.from, range?.to, tracks ?? undefined, filter ?? undefined, disassembler, expressions);
      const isDue = createReports();
      // A list in the order of the file is complete at once. Others look at every record, in turns.
      return pass<Listed>(() => {
        if (open.advance()) return { result: open.listed() };
        // What is found so far can be asked for.
        if (isDue()) hear(open.listed());
        return { at: open.reached() };
      }, stop);
    },
    rows: async (first, count, stop) => {
      // Messages that are queued already are heard before: a newer request among them has stopped this one.
      await scheduler.turn('details');
      return stop.aborted ? null : portion(first, count);
    },
    portion,
    order: async (sort, given, hear, stop) => {
      const open = await reader;
      const { rows } = open.listed();
      order = null;
      if (sort === null) return true;
      const { column, descending } = sort;
      if (column.shows === 'position' && open.listed().inOrder) {
        order = descending ? backwards(rows) : null;
        return true;
      }
      if (rows > MOST_ORDERED) return false;
      const names = await shownByName(given);
      const keys: Key[] = [];
      while (keys.length < rows) {
        // What the page asks meanwhile comes first.
        await scheduler.turn('rest');
        if (stop.aborted) return false;
        const part = await inTrace(keys.length, Math.min(ORDERED_AT_ONCE, rows - keys.length));
        // The list is another one by now.
        if (part.length === 0) return false;
        for (const row of part) keys.push(keyOf(column, row, names));
        hear(keys.length / rows);
      }
      if (stop.aborted) return false;
      order = orderOf(keys, descending);
      return true;
    },
    rowAt: async (x, track, locator) => {
      const number = (await reader).rowAt(x, track, locator) ?? null;
      return number === null || !order ? number : order.placeOf(number);
    },
    recordAt: async (x, track) => {
      const found = (await reader).at(x, track);
      return found ? inWords(found) : null;
    },
    survey: async () => {
      const open = await reader;
      let budget = 8;
      return pass<Surveyed>(() => {
        const { at, of, counted } = open.survey(budget);
        budget = budgetOf(of);
        return at < of ? { at: at / of } : { result: counted };
      });
    },
    tabulate: async ({ range, next, rows, bytes }) => {
      // After what waits for its turn: the page asks for the next part at once.
      await scheduler.turn('rest');
      const open = await reader;
      const until = performance.now() + TABULATE_MS;
      const parts: TabulatedPart[] = [];
      let made = { rows: 0, bytes: 0 };
      let at = next;
      let budget = 1;
      let part: TabulatedPart;
      do {
        part = open.tabulate(range?.from, range?.to, at, budget, rows - made.rows, bytes - made.bytes);
        parts.push(part);
        made = { rows: made.rows + part.rows, bytes: made.bytes + part.bytes.length };
        at = part.next;
        budget = budgetOf(part.of, 16);
      } while (at < part.of && made.rows < rows && made.bytes < bytes && performance.now() < until);
      const all = new Uint8Array(made.bytes);
      let end = 0;
      for (const each of parts) {
        all.set(each.bytes, end);
        end += each.bytes.length;
      }
      return { bytes: all, rows: made.rows, next: at, of: part.of };
    },
    collect: async (wanted, progress, stop) => {
      const open = await reader;
      if (wanted.what === 'address') open.beginCollect(wanted.address, [], []);
      else if (wanted.what === 'field') open.beginCollect(undefined, [...wanted.names], [...wanted.path]);
      else if (wanted.what === 'texts') open.beginTexts([...wanted.names], [...wanted.path]);
      else if (wanted.what === 'memory') open.beginMemory(wanted.address, wanted.len);
      else open.beginRuns(wanted.what === 'runs' ? wanted.key : undefined);
      return collected((budget) => open.collect(budget), progress, stop);
    },
    tokens: async (given, rules, pieces, take, progress, stop) => {
      const modules = (await trace.modules()) ?? [];
      const open = await reader;
      const { ids, names } = await namesOfIds(given);
      open.beginTokens(ids, names, [...rules], [...modules], pieces ?? undefined);
      spare = [];
      const turn = (budget: number) => {
        const made = open.tokens(budget);
        if (made?.part) take({ ...made.part, tokens: moved(made.part.tokens) });
        return made;
      };
      return collected(turn, progress, stop).finally(() => {
        spare = null;
      });
    },
    reuse: ({ buffer }) => {
      if (buffer instanceof ArrayBuffer) spare?.push(buffer);
    },
    numbered: async (track, first, count, stop) => {
      const open = await reader;
      const rows = await pass<readonly RecordRow[]>(() => {
        const at = open.countTracks();
        return at === undefined ? { result: open.numbered(track, first, count) } : { at };
      }, stop);
      return rows && Promise.all(rows.map(inWords));
    },
    search: async (slot, filter, { job, shown }, take, stop) => {
      const { disassembler, expressions } = await loadForConditions();
      const open = await reader;
      if (stop.aborted) return;
      const number = SEARCH_SLOTS[slot];
      open.beginSearch(number, filter, disassembler, expressions);
      let budget = 1;
      const finds = createFinds(trace, job, shown, take);
      let pending: FoundRecords[] = [];
      let told = 0;
      const isDue = createReports();
      await pass<null>(() => {
        const made = open.search(number, budget);
        if (!made) return { result: null };
        const { at, of, count, found } = made;
        budget = budgetOf(of);
        pending.push(found);
        const isDone = at >= of;
        // The first hits are reported at once.
        if (isDue() || isDone || (told === 0 && count > 0)) {
          told = count;
          for (const [i, part] of pending.entries()) {
            if (part.x.length > 0 || part.texts.length > 0 || i === pending.length - 1) {
              finds.add(part, count, at / Math.max(1, of));
            }
          }
          pending = [];
        }
        return isDone ? { result: null } : { at: at / of };
      }, stop);
      await finds.done();
    },
    searchValues: async (query, { job, shown }, take, stop) => {
      const finds = createFinds(trace, job, shown, take);
      await values.search(query, finds.add, stop);
      await finds.done();
    },
  };
}
