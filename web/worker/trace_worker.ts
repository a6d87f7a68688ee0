import type { Attachment, CompanionFile, CompanionKind, Look } from '../base/companions.ts';
import type { FromWorker, ToWorker } from '../base/messages.ts';
import { type Described, type Progress, type TraceError, VALUE_TYPES } from '../base/protocol.ts';
import { createBinaries } from './binaries.ts';
import { bind } from './binding.ts';
import { aboutLog, createNames } from './companions.ts';
import { createDisassemblerLoader } from './disassembler.ts';
import { asTraceError } from './errors.ts';
import { answerAbout } from './hits.ts';
import { createJobs } from './jobs.ts';
import { KEPT_AT_MOST, type Kept, keepDatabase, keepWhileReading } from './kept.ts';
import { createLanguageLoader } from './language.ts';
import { look, openSession } from './modules.ts';
import { inputOf, readThrough } from './reading.ts';
import { createScheduler, type Rank } from './scheduler.ts';
import type { Session } from './session.ts';
import type { Unpacked } from './unpacked.ts';

/** Minimum time between two progress messages. */
const REPORT_MS = 100;
/** Tracks of a message at most: the page takes some 25 ms to take 20,000 of them, and stands still meanwhile. */
const TRACKS = 2000;
/** Time between updates of the tracks while the file is read, per track of the last one: the page lays all of them out again. */
const TRACK_MS = 0.05;

type Query = Extract<ToWorker, { t: 'query' }>;

/** The worker of one trace: reads one file and replies to the page's questions about it. It is never reset. */
export interface TraceWorker {
  /** Handles a message of the page. Replies come through the `post` that the worker was created with. */
  handle(message: ToWorker): void;
}

/** A worker without a file; the first message opens one. `post` sends a message to the page. */
export function createTraceWorker(post: (message: FromWorker) => void): TraceWorker {
  let session: Session | null = null;
  /** The file that is unpacked while the session reads it. */
  let unpacked: Unpacked | null = null;
  let choose: (entry: number) => void = () => undefined;
  let cancelled = false;
  /** The page knows that this trace is lost, so the session is not used any more. */
  let over = false;
  let reading = true;
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
    post({ t: 'failed', error, companion });
  };
  /** Runs something on the session, if there is one. A trap ends this trace and is reported. */
  const guarded = (run: (open: Session) => void) => {
    if (!session || over) return;
    try {
      run(session);
    } catch (error) {
      fail(asTraceError(error));
    }
  };
  /** Sends new names, which must precede the first message that uses them, and tracks that are new or have changed. */
  const flush = (open: Session) => {
    const fresh = open.takeNames();
    if (fresh) post({ t: 'names', ...fresh });
    const renamed = open.takeRenamed();
    if (renamed) post({ t: 'renamed', ...renamed });
    const tracks = reading && performance.now() < tracksDue ? [] : open.takeTracks();
    if (tracks.length > 0) tracksDue = performance.now() + tracks.length * TRACK_MS;
    for (let i = 0; i < tracks.length; i += TRACKS) {
      post({ t: 'tracks', tracks: tracks.slice(i, i + TRACKS), more: i + TRACKS < tracks.length });
    }
    const evicted = open.takeEvicted();
    if (evicted.length > 0) post({ t: 'evicted', tracks: evicted });
  };
  const send = (open: Session, message: FromWorker) => {
    flush(open);
    post(message);
  };
  const scheduler = createScheduler();
  const jobs = createJobs(
    {
      run: guarded,
      reading: () => reading,
      send: (message) => {
        if (session) send(session, message);
      },
    },
    scheduler,
  );

  const loadLanguage = createLanguageLoader();

  /** Companions that came before the session. */
  const early: CompanionFile[] = [];
  const named = [
    (work: (open: Session) => void) =>
      guarded((open) => {
        work(open);
        flush(open);
      }),
    () => reading,
    (attachment: Attachment) => post({ t: 'attached', attachment }),
  ] as const;
  const names = createNames(...named, () => (session?.info().offers.includes('values') ? 'statement' : 'function'));
  const binaries = createBinaries(...named, (jumps) => post({ t: 'again', jumps }));
  const attach = (companion: CompanionFile) => {
    if (companion.kind === 'names') void names.attach(companion);
    else if (companion.kind === 'binary') void binaries.attach(companion);
  };

  /** How far reading is. Of a packed file, its compressed bytes count. */
  const progressOf = (open: Session): Progress => {
    const progress = open.progress();
    return unpacked ? { ...progress, bytesRead: unpacked.packedRead, bytes: unpacked.packedSize } : progress;
  };
  const reportUnpacking = ({ packedRead: bytesRead, packedSize: bytes }: Unpacked) => {
    const time = performance.now();
    if (time - reportedAt < REPORT_MS) return;
    reportedAt = time;
    const none = { events: 0, slices: 0, storeBytes: 0, extent: null, problems: [] };
    post({ t: 'progress', progress: { ...none, bytesRead, bytes, stage: 'unpacking' } });
  };
  const report = (now: boolean) => {
    const time = performance.now();
    if (!session || (!now && reportedSlices && time - reportedAt < REPORT_MS)) return;
    const progress = progressOf(session);
    // The first slices are reported at once: the first picture waits for them.
    if (!now && progress.slices === 0 && time - reportedAt < REPORT_MS) return;
    reportedSlices ||= progress.slices > 0;
    reportedAt = time;
    send(session, { t: 'progress', progress });
  };
  const finish = (open: Session, how: 'complete' | 'cancelled' | 'broken', error: TraceError | null) => {
    reading = false;
    flush(open);
    names.report();
    binaries.report();
    const progress = progressOf(open);
    if (how === 'broken' && progress.events === 0 && error) fail(error);
    else post({ t: 'done', how, progress, error: how === 'broken' ? error : null });
  };
  /** Gives the page what was unpacked, for the records. */
  const handOver = async () => {
    if (!unpacked) return;
    unpacked.close();
    const { spool } = unpacked;
    const file = await spool.finish().catch(() => null);
    post({ t: 'unpacked', file: file ?? new Blob(), log: null, whole: file !== null && spool.whole });
  };
  const read = async (asked: Extract<ToWorker, { t: 'open' }>) => {
    const { file: given, name, companions, lifted, nested, room, jumps } = asked;
    let blob = given;
    let kept: Kept | null = null;
    const keep = async () => {
      const file = await kept?.finish();
      if (file) post({ t: 'kept', file });
    };
    try {
      blob = await keepDatabase(given);
      if (blob !== given) post({ t: 'kept', file: blob });
      const wal = companions.find(({ kind }) => kind === 'wal');
      const opened = await openSession(blob, name, wal?.file ?? null, loadDisassembler, {
        lifted,
        nested,
        room,
        jumps,
        cancelled: () => cancelled,
        report: reportUnpacking,
        choose: (archive) => {
          post({ t: 'archive', archive });
          return new Promise((resolve) => {
            choose = resolve;
          });
        },
      });
      session = opened.session;
      const { packed } = opened;
      unpacked = packed?.unpacked ?? null;
      if (packed?.file) post({ t: 'unpacked', file: packed.file, log: packed.log, whole: true });
      const info = session.info();
      const container = [info.container, ...(packed?.containers ?? [])].filter((part) => part !== null);
      post({
        t: 'opened',
        info: { ...info, container: container.join(' in ') || null },
        packed: packed !== null,
        entry: packed?.entry ?? null,
      });
      if (wal) {
        const { log = null, matches = false } = opened.bytes ?? {};
        post({ t: 'attached', attachment: { companion: wal.id, ...aboutLog(log, matches) } });
      }
      for (const companion of [...companions, ...early]) {
        if (info.companions.includes(companion.kind)) attach(companion);
      }
      if (!packed && !opened.database && blob.size <= KEPT_AT_MOST) kept = keepWhileReading(blob, inputOf(blob));
      const input = unpacked ?? kept?.input ?? inputOf(packed?.file ?? blob);
      const how = await readThrough(session, input, opened.database, {
        cancelled: () => cancelled,
        painted: firstPicture,
        report,
      });
      const fault = unpacked?.fault ?? packed?.fault ?? null;
      finish(session, how === 'complete' && fault ? 'broken' : how, fault ?? session.error() ?? null);
      await handOver();
      await keep();
    } catch (thrown) {
      const error = asTraceError(thrown);
      // After a trap the session's memory is unreliable. After a failed read it is intact.
      if (error.kind === 'unrecognised') {
        const { companion } = await look(blob, name).catch(() => ({ companion: null }));
        return fail(error, companion);
      }
      if (!session || over || error.kind !== 'unreadable') return fail(error);
      guarded((open) => {
        open.cancel();
        finish(open, 'broken', error);
      });
      await handOver();
      await keep();
    }
  };

  const lookAtAll = async ({ id, files }: Extract<ToWorker, { t: 'look' }>) => {
    const nothing: Look = { format: null, confidence: 0, companion: null, looks: null };
    // A file that cannot be read is nothing. Opening it says why.
    const looks = await Promise.all(files.map(({ file, name }) => look(file, name).catch(() => nothing)));
    post({ t: 'looked', id, looks });
  };

  const once = (rank: Rank, work: () => void) => {
    scheduler.add(rank, () => {
      work();
      return false;
    });
  };
  const sendPicture = () => {
    const query = newestQuery;
    newestQuery = null;
    if (!query) return;
    const { id, from, to, step, tracks, depths } = query;
    guarded((open) => send(open, { t: 'rects', id, ...open.query(from, to, step, tracks, depths) }));
  };

  return {
    handle: (message) => {
      switch (message.t) {
        case 'open':
          void read(message);
          return;
        case 'look':
          void lookAtAll(message);
          return;
        case 'attach':
          if (session) attach(message.companion);
          else early.push(message.companion);
          return;
        case 'detach':
          names.detach(message.companion);
          return binaries.detach(message.companion);
        case 'assign':
          return binaries.assign(message.companion, message.object);
        case 'place':
          return binaries.place(message.companion, message.base);
        case 'source': {
          const { id, func } = message;
          void binaries.source(func).then((source) => post({ t: 'source', id, source }));
          return;
        }
        case 'choose':
          choose(message.entry);
          return;
        case 'cancel':
          cancelled = true;
          return;
        case 'painted':
          painted();
          return;
        case 'query':
          // The reply waits for the messages already queued: a newer query among them supersedes this one.
          if (newestQuery === null) once('picture', sendPicture);
          newestQuery = message;
          return;
        case 'overview':
          return guarded((open) =>
            send(open, { t: 'overview', id: message.id, overview: open.overview(message.buckets) }),
          );
        case 'describe':
          once('details', () => {
            let described: Described | null = null;
            guarded((open) => {
              described = open.describe(message.item);
              flush(open);
            });
            post({ t: 'described', id: message.id, described });
          });
          return;
        case 'index':
          return guarded((open) => post({ t: 'index', id: message.id, index: open.index(message.numbers) }));
        case 'begin-job':
          return jobs.begin(message);
        case 'cancel-job':
          return jobs.cancel(message.id);
        case 'find':
          return guarded((open) => send(open, { t: 'found', id: message.id, found: open.find(message.what) }));
        case 'bind': {
          const { id, text, to } = message;
          const open = session;
          if (open) void bind(loadLanguage, open, text, to).then((bound) => post({ t: 'bound', id, bound }));
          return;
        }
        case 'hits':
          return guarded((open) =>
            post({ t: 'hits', id: message.id, answer: answerAbout(open, message.job, message.ask) }),
          );
        case 'origin': {
          const { id, track, time, item } = message;
          return guarded((open) =>
            send(open, { t: 'origin', id, origin: open.origin(track, time, item ?? undefined) }),
          );
        }
        case 'show-values':
          return guarded((open) => {
            open.showValues(message.track, VALUE_TYPES.indexOf(message.type));
            flush(open);
          });
        case 'weigh':
          return guarded((open) => open.weigh(message.at, message.weights));
        case 'elsewhere':
          return guarded((open) => {
            open.setElsewhere(message.bytes);
            flush(open);
          });
        case 'remove-track':
          return guarded((open) => open.removeTrack(message.track));
        case 'digest':
          return guarded((open) => post({ t: 'digest', id: message.id, digest: open.digest() }));
        case 'problems':
          return guarded((open) =>
            post({ t: 'problems', id: message.id, ...open.problems(message.first, message.max) }),
          );
        case 'tables': {
          const { id, range, first, most } = message;
          const [from, to] = [range?.from, range?.to];
          // Between two portions come pictures.
          scheduler.add('rest', () => {
            guarded((open) =>
              send(open, {
                t: 'tables',
                id,
                rows: open.tableRows(from, to),
                ...open.tablePages(from, to, first, most),
              }),
            );
            return false;
          });
          return;
        }
        case 'export-rows': {
          const { id, ask } = message;
          scheduler.add('rest', () => {
            guarded((open) => send(open, { t: 'export-rows', id, rows: open.exportRows(ask) }));
            return false;
          });
          return;
        }
        default:
          return unreachable(message);
      }
    },
  };
}

function unreachable(message: never): never {
  throw new Error(`unknown message from the page: ${JSON.stringify(message)}`);
}
