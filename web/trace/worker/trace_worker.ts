import type { Attachment, CompanionFile, CompanionKind, Look } from '../../base/companions.ts';
import { type Progress, type TraceError, VALUE_TYPES } from '../../base/protocol.ts';
import { isRanged } from '../../base/ranged.ts';
import { askAhead, giveUp } from '../../base/ranges.ts';
import type { Opening, PictureAnswer, PictureQuestion, TraceReports, TraceService } from '../../base/trace_protocol.ts';
import { createBinaries } from './binaries.ts';
import { createBinding } from './binding.ts';
import { aboutLog, createNames } from './companions.ts';
import { createDisassemblerLoader } from './disassembler.ts';
import { asTraceError } from './errors.ts';
import type { Growth } from './growth.ts';
import { createHits } from './hits.ts';
import { createJobs } from './jobs.ts';
import { KEPT_AT_MOST, type Kept, keepDatabase, keepWhileReading } from './kept.ts';
import { look, openSession } from './modules.ts';
import { inMessages } from './other_names.ts';
import { faultIn } from './packed.ts';
import { inputOf, readThrough } from './reading.ts';
import { createScheduler } from './scheduler.ts';
import { serveToPage } from './serving.ts';
import type { Session } from './session.ts';
import type { ShelfFiles } from './shelf.ts';
import { createShortNames } from './short_names.ts';
import type { Unpacked } from './unpacked.ts';

/** Minimum time between two progress messages. */
const REPORT_MS = 100;
/** Tracks of a message at most: the page takes some 25 ms to take 20,000 of them, and stands still meanwhile. */
const TRACKS = 2000;
/** Time between updates of the tracks while the file is read, per track of the last one: the page lays all of them out again. */
const TRACK_MS = 0.05;
/** Time after a part of the tables for which a trace does not grow: the parts that follow belong to the same trace. */
const TABLES_MS = 1000;

const LOST: TraceError = {
  kind: 'unreadable',
  sentence: 'The part of this trace that is on disk cannot be read any more. Open the file again.',
  offset: null,
};

/** A question for a picture that waits for its turn. */
interface Query {
  readonly question: PictureQuestion;
  resolve(answer: PictureAnswer | null): void;
}

/** The worker of one trace without a file: `open` reads one. */
export function createTraceWorker(): TraceService {
  /** What hears of the trace. Nothing happens before it is opened. */
  let page!: TraceReports;
  let session: Session | null = null;
  /** The file that is unpacked while the session reads it. */
  let unpacked: Unpacked | null = null;
  /** The file if it is followed. */
  let growth: Growth | null = null;
  /** Until when the tables for SQL and exports are asked for. */
  let askedUntil = Number.NEGATIVE_INFINITY;
  let choose: (entry: number) => void = () => undefined;
  let cancelled = false;
  /** The page knows that this trace is lost, so the session is not used any more. */
  let over = false;
  let reading = true;
  /** Where slices go that leave memory; null before they do. */
  let shelf: ShelfFiles | null = null;
  let wasShelfAsked = false;
  /** Bytes that others hold, who share the memory of this trace. */
  let othersBytes = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let reportedSlices = false;
  let tracksDue = 0;
  let newestQuery: Query | null = null;
  let painted: () => void = () => undefined;
  const firstPicture = new Promise<void>((resolve) => {
    painted = resolve;
  });
  const loadDisassembler = createDisassemblerLoader();

  const fail = (error: TraceError, companion: CompanionKind | null = null) => {
    if (over) return;
    over = true;
    cancelled = true;
    page.failed(error, companion);
  };
  /** Runs something on the session. Returns null if there is none. A trap ends this trace and is reported. */
  const guarded = <T>(run: (open: Session) => T): T | null => {
    if (!session || over) return null;
    try {
      const answer = run(session);
      if (shelf?.isLost) throw LOST;
      return answer;
    } catch (error) {
      fail(asTraceError(error));
      return null;
    }
  };
  /** Reports new names, which must precede the first message that uses them, and tracks that are new or have changed. */
  const flush = (open: Session) => {
    // Each portion is a message of its own: the page draws between them.
    for (let fresh = open.takeNames(); fresh; fresh = open.takeNames())
      page.names(fresh.first, fresh.names, fresh.keys);
    const renamed = open.takeRenamed();
    if (renamed) {
      for (const { ids, names, keys, goesOn } of inMessages(renamed)) page.renamed(ids, names, keys, goesOn);
      shortNames.changed();
    }
    const tracks = (reading || growth) && performance.now() < tracksDue ? [] : open.takeTracks();
    if (tracks.length > 0) tracksDue = performance.now() + tracks.length * TRACK_MS;
    for (let i = 0; i < tracks.length; i += TRACKS) {
      page.tracks(tracks.slice(i, i + TRACKS), i + TRACKS < tracks.length);
    }
    const evicted = open.takeEvicted();
    if (evicted.length > 0) page.evicted(evicted);
  };
  /** Asks the session, and reports what must precede the answer. */
  const ask = <T>(question: (open: Session) => T): T | null =>
    guarded((open) => {
      const answer = question(open);
      flush(open);
      return answer;
    });
  const scheduler = createScheduler();
  const jobs = createJobs({ run: guarded, reading: () => reading, flush }, scheduler);

  /** Companions that came before the session. */
  const early: CompanionFile[] = [];
  const named = [
    (work: (open: Session) => void) => void ask(work),
    () => reading,
    (attachment: Attachment) => page.attached(attachment),
  ] as const;
  const names = createNames(...named, () => (session?.info().offers.includes('values') ? 'statement' : 'function'));
  const shortNames = createShortNames(
    (work) =>
      guarded((open) => {
        // The page is to know the names themselves.
        flush(open);
        return work(open);
      }),
    (isOffered, short) => {
      if (!short) page.shortNames(isOffered, null, false);
      else for (const { goesOn, ...names } of inMessages(short)) page.shortNames(isOffered, names, goesOn);
    },
  );
  const binaries = createBinaries(...named, (jumps) => page.again(jumps));
  const attach = (companion: CompanionFile) => {
    if (companion.kind === 'names') void names.attach(companion);
    else if (companion.kind === 'binary') void binaries.attach(companion);
  };

  /** How far reading is. Of a packed file, its compressed bytes count. */
  const progressOf = (open: Session): Progress => {
    const progress = open.progress();
    if (growth) return { ...progress, bytes: growth.size };
    return unpacked ? { ...progress, bytesRead: unpacked.packedRead, bytes: unpacked.packedSize } : progress;
  };
  const reportUnpacking = ({ packedRead: bytesRead, packedSize: bytes }: Unpacked) => {
    const time = performance.now();
    if (time - reportedAt < REPORT_MS) return;
    reportedAt = time;
    const none = { events: 0, slices: 0, storeBytes: 0, extent: null, problems: [], uncertainty: null };
    page.progress({ ...none, bytesRead, bytes, stage: 'unpacking' });
  };
  const report = (now: boolean) => {
    const time = performance.now();
    if (!session || (!now && reportedSlices && time - reportedAt < REPORT_MS)) return;
    const progress = progressOf(session);
    // The first slices are reported at once: the first picture waits for them.
    if (!now && progress.slices === 0 && time - reportedAt < REPORT_MS) return;
    reportedSlices ||= progress.slices > 0;
    reportedAt = time;
    flush(session);
    page.progress(progress);
    if (!wasShelfAsked && session.wantsShelf()) void shelve(session);
  };
  /** Has slices go to disk. Where there is none, reading ends when memory is used up. */
  const shelve = async (open: Session) => {
    wasShelfAsked = true;
    try {
      const files = await (await import('./shelf.ts')).openShelf();
      if (!reading || over) return;
      open.shelve(files);
      shelf = files;
    } catch {
      // Private windows of Firefox have no files, for example.
    }
  };
  /** All of a file that grows is read as it is now. */
  const rest = () => {
    if (!session || over) return;
    names.report();
    binaries.report();
    if (!reading) {
      tracksDue = 0;
      return report(true);
    }
    reading = false;
    flush(session);
    page.done('growing', progressOf(session), null);
  };
  /** Whether something goes through the trace that is to see one state of it. */
  const isHeld = () => !reading && !cancelled && (jobs.isBusy() || performance.now() < askedUntil);
  const finish = (open: Session, how: 'complete' | 'cancelled' | 'broken', error: TraceError | null) => {
    reading = false;
    growth = null;
    flush(open);
    names.report();
    binaries.report();
    page.described(open.info().properties);
    const progress = progressOf(open);
    if (how === 'broken' && progress.events === 0 && error) fail(error);
    else page.done(how, progress, how === 'broken' ? error : null);
  };
  /** Gives the page what was unpacked, for the records. */
  const handOver = async () => {
    if (!unpacked) return;
    unpacked.close();
    const { spool } = unpacked;
    const file = await spool.finish().catch(() => null);
    page.unpacked(file ?? new Blob(), null, file !== null && spool.whole);
  };
  const read = async (asked: Opening) => {
    const { file: given, name, companions, lifted, nested, room, jumps, follow } = asked;
    let blob = given;
    let kept: Kept | null = null;
    const keep = async () => {
      const file = await kept?.finish();
      if (file) page.kept(file);
    };
    if (isRanged(given)) askAhead(given);
    try {
      if (follow) growth = (await import('./growth.ts')).createGrowth(given, { inputOf, rest, isHeld });
      blob = await keepDatabase(given);
      if (blob !== given) page.kept(blob);
      const wal = companions.find(({ kind }) => kind === 'wal');
      const opened = await openSession(blob, name, wal?.file ?? null, loadDisassembler, {
        lifted,
        nested,
        room,
        jumps,
        follow,
        cancelled: () => cancelled,
        report: reportUnpacking,
        choose: (archive) => {
          page.archive(archive);
          return new Promise((resolve) => {
            choose = resolve;
          });
        },
      });
      session = opened.session;
      if (othersBytes > 0) session.setElsewhere(othersBytes);
      const { packed } = opened;
      unpacked = packed?.unpacked ?? null;
      if (packed?.file) page.unpacked(packed.file, packed.log, true);
      const info = session.info();
      const container = [info.container, ...(packed?.containers ?? [])].filter((part) => part !== null);
      page.opened({ ...info, container: container.join(' in ') || null }, packed !== null, packed?.entry ?? null);
      if (wal) {
        const { log = null, matches = false } = opened.bytes ?? {};
        page.attached({ companion: wal.id, ...aboutLog(log, matches) });
      }
      for (const companion of [...companions, ...early]) {
        if (info.companions.includes(companion.kind)) attach(companion);
      }
      if (packed || opened.database) growth = null;
      if (!growth && !packed && !opened.database && blob.size <= KEPT_AT_MOST)
        kept = keepWhileReading(blob, inputOf(blob));
      const input = growth?.input ?? unpacked ?? kept?.input ?? inputOf(packed?.file ?? blob);
      const how = await readThrough(session, input, opened.database, {
        cancelled: () => cancelled,
        painted: firstPicture,
        report,
        hold: () => growth?.hold(),
      });
      let fault = unpacked?.fault ?? packed?.fault ?? null;
      // Last, so that nothing waits until a content of an archive is read once more.
      for (const content of packed?.contents ?? []) fault ??= await faultIn(content, () => cancelled);
      finish(session, how === 'complete' && fault ? 'broken' : how, fault ?? session.error() ?? null);
      await handOver();
      await keep();
    } catch (thrown) {
      const isGivenUp = cancelled && thrown instanceof DOMException && thrown.name === 'AbortError';
      const error = asTraceError(thrown);
      // After a trap the session's memory is unreliable. After a failed read it is intact.
      if (error.kind === 'unrecognised') {
        const { companion } = await look(blob, name).catch(() => ({ companion: null }));
        return fail(error, companion);
      }
      if (!session || over || error.kind !== 'unreadable') return fail(error);
      guarded((open) => {
        open.cancel();
        finish(open, isGivenUp ? 'cancelled' : 'broken', error);
      });
      await handOver();
      await keep();
    }
  };

  const sendPicture = () => {
    const query = newestQuery;
    newestQuery = null;
    if (!query) return;
    const { from, to, step, tracks, depths } = query.question;
    const answer = ask((open) => open.query(from, to, step, tracks, depths));
    query.resolve(answer);
    // Its blocks are there now, so the page gets a more exact picture for the same question.
    if (session && !reading && answer?.complete === false) page.progress(progressOf(session));
  };

  const service: TraceService = {
    ...createHits(guarded),
    ...createBinding(() => session),
    look: (files) => {
      const nothing: Look = { format: null, confidence: 0, companion: null, looks: null };
      // A file that cannot be read is nothing. Opening it says why.
      return Promise.all(files.map(({ file, name }) => look(file, name).catch(() => nothing)));
    },
    open: (opening, reports) => {
      page = reports;
      void read(opening);
      return new Promise(() => undefined);
    },
    share: (port) => {
      serveToPage(service, port, asTraceError);
      return new Promise(() => undefined);
    },
    attach: (companion) => {
      if (session) attach(companion);
      else early.push(companion);
    },
    detach: (companion) => {
      names.detach(companion);
      binaries.detach(companion);
    },
    wantShortNames: shortNames.want,
    assign: binaries.assign,
    place: binaries.place,
    source: (func) => binaries.source(func).catch(() => null),
    choose: (entry) => choose(entry),
    grow: (file) => growth?.grow(file),
    cancel: () => {
      cancelled = true;
      growth?.grow(null);
      giveUp();
    },
    painted: () => painted(),
    picture: (question) =>
      new Promise((resolve) => {
        // The answer waits for the messages already queued: a newer query among them supersedes this one.
        if (newestQuery) newestQuery.resolve(null);
        else void scheduler.turn('picture').then(sendPicture);
        newestQuery = { question, resolve };
      }),
    samples: async ({ from, to, step, tracks, depths }) => {
      await scheduler.turn('rest');
      return ask((open) => open.query(from, to, step, tracks, depths)?.counters ?? null);
    },
    overview: (buckets) => ask((open) => open.overview(buckets)),
    describe: async (item) => {
      await scheduler.turn('details');
      return ask((open) => open.describe(item) ?? null);
    },
    index: (numbers) => guarded((open) => open.index(numbers)),
    modules: () => guarded((open) => open.modules()),
    job: jobs.run,
    find: (what) => ask((open) => open.find(what) ?? null),
    origin: (track, time, item) => ask((open) => open.origin(track, time, item ?? undefined) ?? null),
    showValues: (track, type) => void ask((open) => open.showValues(track, VALUE_TYPES.indexOf(type))),
    weigh: (at, weights) => void guarded((open) => open.weigh(at, weights)),
    setElsewhere: (bytes) => {
      othersBytes = bytes;
      ask((open) => open.setElsewhere(bytes));
    },
    removeTrack: (track) => void guarded((open) => open.removeTrack(track)),
    digest: () => guarded((open) => open.digest()),
    problems: (first, max) => guarded((open) => open.problems(first, max)),
    tables: async (range, first, most) => {
      const [from, to] = [range?.from, range?.to];
      askedUntil = performance.now() + TABLES_MS;
      // Between two portions come pictures.
      await scheduler.turn('rest');
      return ask((open) => ({ rows: open.tableRows(from, to), ...open.tablePages(from, to, first, most) }));
    },
    exportRows: async (what) => {
      askedUntil = performance.now() + TABLES_MS;
      await scheduler.turn('rest');
      return ask((open) => open.exportRows(what));
    },
    findInCalls: async (...what) => (await import('./call_findings.ts')).findInCalls(guarded, scheduler, ...what),
  };
  return service;
}
