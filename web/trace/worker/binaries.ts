import type { Attachment, CompanionFile, Source } from '../../base/companions.ts';
import type { Programs } from '../../worker/wasm/unspool_symbols.js';
import { loadSymbols } from './symbols.ts';

/** What binaries need of a session. */
export interface Named {
  nameBy(companion: number, naming: Uint8Array): void;
  namedBy(companion: number): number;
  forgetNames(companion: number): void;
  unended(): number;
  jumps(callees: Uint8Array): Uint8Array | undefined;
  functionIds(): Int32Array;
  addresses(called: boolean): BigUint64Array;
  modules(): string[];
}

/** The programs and shared libraries of one trace, and their debug information. */
export interface Binaries {
  /** Reads a binary, and shows the trace with its names. Resolves when that is done. */
  attach(companion: CompanionFile): Promise<void>;
  detach(companion: number): void;
  /** Says which object's functions a binary names. null leaves it to what is known. */
  assign(companion: number, object: number | null): void;
  /** Says at which address the first page of a binary is. null leaves it to what is known. */
  place(companion: number, base: bigint | null): void;
  /** Decides and reports again, because more of the log is known. */
  report(): void;
  /** Where the function with an id or at an address is in the source. Resolves with null if no binary says it. */
  source(func: number | bigint): Promise<Source | null>;
}

/** A part of a binary that is on its way. */
interface Part {
  readonly id: number;
  readonly at: number;
  readonly length: number;
  readonly bytes: Promise<ArrayBuffer>;
}

/** Results of {@link Programs.step}. */
const NEEDS_BYTES = 0;
const DONE = 2;

/**
 * The binaries of a trace, without any yet. `run` calls something with the session, `reading` says whether the trace is still
 * being read, `tell` sends a report to the page. A failure is reported, too. `again` says that the trace should be read again, and how.
 */
export function createBinaries(
  run: (work: (session: Named) => void) => void,
  reading: () => boolean,
  tell: (attachment: Attachment) => void,
  again: (jumps: Uint8Array) => void,
): Binaries {
  const files = new Map<number, CompanionFile>();
  /** What the session has of each binary: the object or the base, and how many names and ids or addresses. */
  const given = new Map<number, string>();
  let programs: Programs | null = null;
  let work: Promise<void> | null = null;

  const fail = (id: number, sentence: string) => {
    files.delete(id);
    programs?.remove(id);
    tell({ companion: id, sentence, wrong: true });
  };

  /** The parts that follow those read last: tables are read from one end to the other, in turn with names. */
  let ahead: readonly Part[] = [];
  /** Where the parts read lately end. */
  let ends: readonly string[] = [];
  /** Reads a part of a file, and asks for the next one if it goes on where another one ended. */
  const part = (id: number, file: Blob, at: number, length: number): Promise<ArrayBuffer> => {
    const there = ahead.find((it) => it.id === id && it.at === at && it.length >= length);
    const bytes = there ? there.bytes.then((all) => all.slice(0, length)) : file.slice(at, at + length).arrayBuffer();
    const next = at + length;
    if (ends.includes(`${id} ${at}`) && next < file.size) {
      const following = file.slice(next, next + length).arrayBuffer();
      // An error is reported once the part is wanted.
      following.catch(() => undefined);
      const one = { id, at: next, length: Math.min(length, file.size - next), bytes: following };
      ahead = [one, ...ahead.filter((it) => it !== there)].slice(0, 2);
    }
    ends = [`${id} ${next}`, ...ends.slice(0, 3)];
    return bytes;
  };

  /** Reads until everything is known. Of what it needs, only the parts are read. */
  const read = async (open: Programs) => {
    for (;;) {
      const step = open.step();
      if (step === DONE) {
        ahead = [];
        return;
      }
      if (step !== NEEDS_BYTES) continue;
      const [id, at, length] = [open.wantsOf(), open.wantsAt(), open.wantsLength()];
      try {
        const file = files.get(id)?.file;
        const bytes = file && (await part(id, file, at, length));
        // It may have been taken away meanwhile.
        if (bytes) open.push(id, at, new Uint8Array(bytes));
      } catch (error) {
        if (!(error instanceof DOMException)) throw error;
        fail(id, 'It cannot be read any more: it was changed, moved or deleted.');
      }
    }
  };

  /** Says what the trace has so far. Returns how many names it has that a binary can give a text. */
  const tellAll = (open: Programs) => {
    let count = 0;
    run((session) => {
      const addresses = session.addresses(false);
      if (addresses.length > 0) open.setCalled(addresses, session.addresses(true), session.modules(), !reading());
      else {
        const ids = session.functionIds();
        open.setIds(ids, !reading());
        count = ids.length;
      }
      count += addresses.length;
    });
    return count;
  };

  /** Hands names to the session, and reports. */
  const show = (open: Programs, count: number) => {
    run((session) => {
      for (const id of files.keys()) {
        const { object, base, names } = reportOf(open, id, 0) ?? NOTHING;
        const place = object ?? base;
        const now = place === null ? '' : `${place} ${names} ${reading() ? 'all' : count}`;
        if (now === (given.get(id) ?? '')) continue;
        const naming = place === null ? undefined : open.naming(id);
        if (naming) session.nameBy(id, naming);
        else session.forgetNames(id);
        given.set(id, now);
      }
      const objects = [...open.objects()];
      for (const id of files.keys()) {
        const report = reportOf(open, id, session.namedBy(id));
        if (!report) continue;
        const { sentence, wrong, object, base, hasFunctions, canBePlaced } = report;
        const isOpen = hasFunctions && !canBePlaced && objects.length > 0 && (objects.length > 1 || object !== 0);
        const choice = isOpen ? { choice: { object, objects } } : {};
        tell({ companion: id, sentence, wrong, ...choice, ...(canBePlaced && { place: { base } }) });
      }
    });
  };

  /** Looks whether calls are below others that cannot have made them. That is known when all of the log and of the binaries is. */
  const checkCalls = async (open: Programs) => {
    let unended = 0;
    run((session) => {
      unended = session.unended();
    });
    if (reading() || unended === 0 || [...files.keys()].some((id) => reportOf(open, id, 0) === null)) return;
    open.findCalls();
    await read(open);
    const callees = open.takeCallees();
    run((session) => {
      const jumps = session.jumps(callees);
      if (jumps) again(jumps);
    });
  };

  /** Runs something on the binaries. After a trap the memory of the module is unreliable, so all of them are given up. */
  const guarded = async (job: (open: Programs) => Promise<void>) => {
    const { __wbg_reset_state: renew } = await loadSymbols();
    try {
      if (programs) await job(programs);
    } catch {
      renew();
      programs = null;
      run((session) => {
        for (const id of given.keys()) session.forgetNames(id);
      });
      given.clear();
      for (const id of [...files.keys()]) fail(id, 'Reading it failed unexpectedly.');
    }
  };
  /** One at a time. */
  const during = async (job: (open: Programs) => Promise<void>) => {
    const before = work;
    const now = (before ?? Promise.resolve()).catch(() => undefined).then(() => guarded(job));
    work = now;
    await now;
  };
  const update = () =>
    during(async (open) => {
      const count = tellAll(open);
      await read(open);
      show(open, count);
      await checkCalls(open);
    });

  return {
    attach: async (companion) => {
      const { id, name, file, object } = companion;
      files.set(id, companion);
      try {
        const module = await loadSymbols();
        if (!files.has(id)) return;
        programs ??= new module.Programs();
        programs.add(id, name, file.size);
        programs.choose(id, object ?? undefined);
        await update();
      } catch (error) {
        const isFault = typeof error === 'object' && error !== null && 'sentence' in error;
        fail(id, isFault ? String(error.sentence) : String(error));
      }
    },
    detach: (companion) => {
      if (!files.delete(companion)) return;
      programs?.remove(companion);
      given.delete(companion);
      run((session) => session.forgetNames(companion));
      // Another one may have had names of it.
      if (programs) void update();
    },
    assign: (companion, object) => {
      programs?.choose(companion, object ?? undefined);
      if (programs) void update();
    },
    place: (companion, base) => {
      programs?.place(companion, base ?? undefined);
      if (programs) void update();
    },
    report: () => {
      if (programs) void update();
    },
    source: async (func) => {
      let found: Source | null = null;
      await during(async (open) => {
        if (!(typeof func === 'bigint' ? open.findSourceAt(func) : open.findSource(func))) return;
        await read(open);
        const [file, line, ...inlined] = open.takeSource() ?? [];
        if (file !== undefined) found = { file, line: line ? Number(line) : null, inlined };
      }).catch(() => undefined);
      return found;
    },
  };
}

const NOTHING = { object: null, base: null, names: 0 };

/** What became of a binary, or null while it is being read. */
function reportOf(open: Programs, id: number, used: number) {
  const report = open.report(id, used);
  if (!report) return null;
  const { sentence, wrong, object = null, base = null, hasFunctions, canBePlaced, names } = report;
  report.free();
  return { sentence, wrong, object, base, hasFunctions, canBePlaced, names };
}
