import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Attachment, Companion, CompanionFile, CompanionKind } from '../base/companions.ts';
import { roomForTrace } from '../base/device.ts';
import type { BoundExpression, WrongExpression } from '../base/find_protocol.ts';
import type { RangeQuestion } from '../base/job_protocol.ts';
import { latest } from '../base/latest.ts';
import type {
  Archive,
  Described,
  Details,
  Item,
  Progress,
  RecordDetails,
  TraceError,
  TraceInfo,
  Track,
} from '../base/protocol.ts';
import { isRanged } from '../base/ranged.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import type { RemoteWorker } from '../base/remote.ts';
import { textsOf } from '../base/texts.ts';
import type { TraceReports, TraceService } from '../base/trace_protocol.ts';
import { watch } from '../base/watch.ts';
import { createContents } from './contents.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { type Account, createAccount, createLedger, type Ledger, withRoom } from './ledger.ts';
import { createNames, type Names } from './names.ts';
import { type Picture, pictureOf, type Question } from './picture.ts';
import { type Again, withObject } from './read_again.ts';
import { createRecords, type Source as RecordSource, type Records } from './records.ts';
import { type Asked, connectTo, orNull, some } from './service.ts';
import { wantsShortNames } from './short_names.ts';
import { crash, STOPPED } from './trace_errors.ts';
import { createTracks, NO_TRACKS, type Tracks } from './tracks.ts';
import { bindEither, bindValues, isAboutValues } from './values_expression.ts';

/** How long a worker has to stop reading. One that is deep in a call, as in SQLite, does not answer and is ended. */
const STOP_MS = 700;

/** By how many bytes a trace has grown when the others hear of it. */
const TOLD_BYTES = 16 << 20;

/** Where a trace is in its life. A `failed` trace has nothing to show. */
export type Status =
  | { readonly at: 'loading' }
  /** The file is an archive: {@link Trace.choose} says which of its traces to open. */
  | { readonly at: 'choosing'; readonly archive: Archive }
  /** `growing`: the file is read as it is now. The object is another one when what was asked should be asked again. */
  | {
      readonly at: 'ready';
      readonly how: 'complete' | 'cancelled' | 'broken' | 'growing';
      readonly error: TraceError | null;
    }
  /** `companion`: what the file is if it is not a trace, but a companion of one. */
  | { readonly at: 'failed'; readonly error: TraceError; readonly companion: CompanionKind | null };

/** Whether more of the trace may come. */
export function isGoingOn(status: Status): boolean {
  return status.at === 'loading' || (status.at === 'ready' && status.how === 'growing');
}

/** What the page asks the trace's worker as it is. */
const PASSED_ON = [
  'bindPoints',
  'bindRecords',
  'digest',
  'find',
  'origin',
  'overview',
  'painted',
  'place',
  'problems',
  'removeTrack',
  'showValues',
  'source',
  'tables',
  'weigh',
  'hits',
  'rankOfHit',
  'marksOfHits',
  'columnsOfHits',
  'dropHits',
] as const satisfies readonly (keyof TraceService)[];

/**
 * An open trace: the page's side of two workers, one for the trace and one for its records. Owns them;
 * {@link Trace.dispose} terminates them and frees their memory.
 */
export interface Trace extends Again, Pick<Asked<TraceService>, (typeof PASSED_ON)[number]> {
  readonly name: string;
  /** Bytes of the file. */
  readonly size: number;
  /** Limits are lifted; see {@link TraceFile}. */
  readonly lifted: boolean;
  /** Callees of tail calls are under the functions that left by them. */
  readonly nested: boolean;
  readonly names: Names;
  /** Whether functions have names that {@link chooseShortNames} shortens. */
  readonly hasShortNames: ReadonlySignal<boolean>;
  /** The files that add to it. */
  readonly companions: ReadonlySignal<readonly Companion[]>;
  /** The write-ahead log of the database, if there is one among the companions or in the archive. */
  readonly log: Blob | null;
  /** The path of the trace if the file is an archive, else null. */
  readonly entry: ReadonlySignal<string | null>;
  /** Whether the archive has other traces. */
  readonly hasOthers: ReadonlySignal<boolean>;
  /** Opens this entry of the archive. */
  choose(entry: number): void;
  /** The file without its containers; null until it is unpacked. */
  readonly content: ReadonlySignal<Blob | null>;
  /** A sentence if not all of the unpacked file could be kept, until it is dismissed. */
  readonly shortage: Signal<string>;
  /** null until the worker has recognised the file. */
  readonly info: ReadonlySignal<TraceInfo | null>;
  readonly status: ReadonlySignal<Status>;
  readonly progress: ReadonlySignal<Progress>;
  /** A new object whenever a track is new or has changed. */
  readonly tracks: ReadonlySignal<Tracks>;
  /** Whether the file is followed: it may grow, and is read on. */
  readonly follows: Signal<boolean>;
  /** The file as it was last seen. */
  newest(): Blob;
  /** The file has grown: this is all of it. With null it does not grow any more. */
  grow(file: Blob | null): void;
  /** Has everything that shows what was asked before ask again. */
  askAgain(): void;
  /** Reads records from a file that begins with the same bytes, because the browser reads the one that was opened no more. */
  readFrom(file: Blob): void;
  /** Adds companions. Of a kind that the format takes, and not a write-ahead log: that can only come with the file. */
  attach(companions: readonly CompanionFile[]): void;
  /** Takes a companion away. */
  detach(companion: number): void;
  /** Says what became of a companion that the page itself uses. */
  attached(attachment: Attachment): void;
  /** Says which object's functions a binary names. null leaves it to what is known. */
  assign(companion: number, object: number | null): void;
  /** Stops reading within a second. What was read is kept if the worker answers in time. */
  cancel(): void;
  /** Reading stopped at a limit, and the file can be opened again without it. */
  readonly canGoOn: ReadonlySignal<boolean>;
  /** Resolves with null if a newer question supersedes this one or the worker ends. */
  picture(question: Question): Promise<Picture | null>;
  readonly samples: Asked<TraceService>['samples'];
  /** Resolves with null if the worker ends. Details are null when there is no such item or decoding it failed. */
  details(item: Item): Promise<{ details: Details | null; error: TraceError | null } | null>;
  /** Details of a record of a list that has neither a slice nor an instant. */
  recordDetails(row: RecordRow): Promise<{ details: Details | null; error: TraceError | null } | null>;
  readonly records: Records;
  /** What another worker needs to read the records by itself. */
  readonly recordSource: RecordSource;
  /** Begins a job; see {@link Jobs.begin}. */
  readonly begin: Jobs['begin'];
  /**
   * The expression for a search, or why it is not one: one about everything, or about the slices of a range, where words are parts
   * of names. Resolves with null if the worker ends.
   */
  bind(text: string, within?: RangeQuestion): Promise<BoundExpression | WrongExpression | null>;
  /** What other workers hold for the trace. */
  readonly ledger: Ledger;
  /** The derived tracks that the worker removed last, to make room. */
  readonly evicted: ReadonlySignal<readonly number[]>;
  dispose(): void;
}

/** A file to open. */
export interface TraceFile {
  readonly file: Blob;
  /** The file's name, for the user. */
  readonly name: string;
  readonly companions: readonly CompanionFile[];
  /** Without the limits that end the reading of a trace although its bytes are valid. */
  readonly lifted?: boolean;
  /** With the callees of tail calls under the functions that left by them, and not beside them. */
  readonly nested?: boolean;
  /** What {@link Again.again} was when the file was read before. */
  readonly jumps?: Uint8Array;
  /** It goes on being written, and is read on. */
  readonly follow?: boolean;
}

/**
 * Opens a file in its own worker, reached through `port`. `spawnRecords` starts the worker that reads its records. Its memory is in the
 * `account` of all traces that are open.
 */
export function openTrace(
  worker: RemoteWorker,
  opened: TraceFile,
  spawnRecords: () => RemoteWorker,
  account: Account = createAccount(),
): Trace {
  const { file, name, companions, lifted = false, nested = false, jumps = new Uint8Array() } = opened;
  const follow = opened.follow || (isRanged(file) && file.ranges.grows === true);
  const log = companions.find(({ kind }) => kind === 'wal')?.file ?? null;
  const state = createState(file.size);
  const contents = createContents(file);
  const { remote, close } = connectTo<TraceService>(worker, (reason) => fail(crash(reason)));
  const ask = orNull(remote);
  const jobs = createJobs(remote.job);
  let gone = false;
  const end = () => {
    gone = true;
    stopShortening();
    // What they are is known to the worker alone.
    state.hasShortNames.value = false;
    jobs.end();
    worker.terminate();
    close(STOPPED);
    records.dispose();
    contents.end();
    ledger.dispose();
  };
  const fail = (error: TraceError, companion: CompanionKind | null = null) => {
    failWith(state, error, companion);
    end();
  };

  const ledger = createLedger(
    () => state.progress.peek().storeBytes,
    (bytes) => void ask.setElsewhere(bytes),
    account,
  );
  const recordSource: RecordSource = {
    file: () => contents.content.peek() ?? contents.arrival,
    log: () => log ?? contents.log(),
    info: state.info,
    reading: () => isGoingOn(state.status.peek()),
    ledger,
    share: ask.share,
    index: (numbers = false) => ask.index(numbers),
  };
  const records = createRecords(recordSource, spawnRecords);
  state.companions.value = companions.map((companion) => ({ ...companion, attachment: null }));
  const room = lifted ? null : roomForTrace();
  const reports = createReports(state);
  /** Bytes of the trace when others last heard of them. */
  let told = 0;
  void ask.open(
    { file, name, companions, lifted, nested, room, jumps, follow },
    {
      ...reports,
      opened: (info, packed, entry) => {
        contents.opened(packed);
        reports.opened(info, packed, entry);
      },
      progress: (progress) => {
        reports.progress(progress);
        // Another trace that is being read at the same time has the less room.
        if (progress.storeBytes - told < TOLD_BYTES) return;
        told = progress.storeBytes;
        ledger.recount();
      },
      unpacked: contents.unpacked,
      kept: (kept) => {
        contents.kept(kept);
        records.replaceFile(kept);
      },
      failed: fail,
      done: (...all) => {
        reports.done(...all);
        ledger.recount();
      },
    },
  );

  const stopShortening = watch([wantsShortNames], () => void ask.wantShortNames(wantsShortNames.peek()));
  ledger.recount();

  const follows = signal(follow);
  let newest = file;
  const readFrom = (now: Blob) => {
    contents.replace(now);
    const content = contents.content.peek();
    if (content) records.replaceFile(content);
  };
  const checkQuery = (query: string) => records.aboutValues((values) => values.checkQuery(query));

  return {
    ...some(ask, PASSED_ON),
    ...state,
    content: contents.content,
    shortage: contents.shortage,
    choose: (entry) => {
      state.status.value = { at: 'loading' };
      void ask.choose(entry);
    },
    records,
    recordSource,
    name,
    size: file.size,
    lifted,
    nested,
    get log() {
      return log ?? contents.log();
    },
    readFrom,
    follows,
    newest: () => newest,
    grow: (now) => {
      if (now) {
        newest = now;
        readFrom(now);
      } else follows.value = false;
      void ask.grow(now);
    },
    askAgain: () => {
      state.status.value = { ...state.status.peek() };
    },
    attach: (added) => {
      state.companions.value = [
        ...state.companions.peek(),
        ...added.map((companion) => ({ ...companion, attachment: null })),
      ];
      for (const companion of added) void ask.attach(companion);
    },
    detach: (companion) => {
      state.companions.value = state.companions.peek().filter(({ id }) => id !== companion);
      void ask.detach(companion);
    },
    attached: reports.attached,
    assign: (companion, object) => {
      state.companions.value = withObject(state.companions.peek(), companion, object);
      void ask.assign(companion, object);
    },
    cancel: () => {
      void ask.cancel();
      setTimeout(() => {
        if (!gone && state.status.peek().at === 'loading') fail(STOPPED);
      }, STOP_MS);
    },
    canGoOn: computed(() => {
      const status = state.status.value;
      const error = status.at === 'ready' || status.at === 'failed' ? status.error : null;
      const { problems } = state.progress.value;
      const canGoOn = problems.some((kind) => kind.canGoOn || (kind.isLimit && room !== null));
      return !lifted && (error?.kind === 'limit' || canGoOn);
    }),
    // The worker knows by itself which question is the newest.
    picture: latest(async (_, question) => {
      const answer = await ask.picture(question);
      return answer && pictureOf(answer, question);
    }),
    samples: ask.samples,
    details: async (item) => {
      const described = await ask.describe(item);
      if (!described) return gone ? null : { details: null, error: null };
      const found = await records.record(described.locator);
      return found && { details: found.value && together(described, found.value), error: found.error };
    },
    recordDetails: async (row) => {
      const found = await records.record(row.locator);
      return found && { details: found.value && alone(row, found.value), error: found.error };
    },
    begin: withRoom(jobs.begin, ledger),
    bind: async (text, within) => {
      if (within) return ask.bindSlices(text, within.from, within.to, within.tracks);
      const info = state.info.peek();
      const values = () => bindValues(text, checkQuery, ask.bindPoints);
      if (isAboutValues(text, info)) return values();
      const filter = () => ask.bindAll(text);
      return info?.offers.includes('values') ? bindEither(text, filter, values) : filter();
    },
    ledger,
    dispose: end,
  };
}

/** What is known of an item: by the trace, and by its record. */
function together({ recordFirst, ...described }: Described, record: RecordDetails): Details {
  const parts = recordFirst ? [record.fields, described.fields] : [described.fields, record.fields];
  return {
    ...described,
    track: described.item.track,
    fields: parts.flat(),
    remarks: [...described.remarks, ...record.remarks],
    offset: record.offset,
  };
}

/** What is known of a record without an item. */
function alone({ x, track, locator, name }: RecordRow, record: RecordDetails): Details {
  return { item: null, track, locator, title: name, name: -1, start: x, end: null, flags: 0, ...record };
}

/** What the worker has reported of the trace so far. */
interface TraceState {
  readonly again: Signal<Uint8Array | null>;
  readonly names: Names;
  readonly hasShortNames: Signal<boolean>;
  readonly companions: Signal<readonly Companion[]>;
  readonly entry: Signal<string | null>;
  readonly hasOthers: Signal<boolean>;
  readonly info: Signal<TraceInfo | null>;
  readonly status: Signal<Status>;
  readonly progress: Signal<Progress>;
  readonly tracks: Signal<Tracks>;
  readonly addTracks: (changed: readonly Track[]) => Tracks;
  readonly evicted: Signal<readonly number[]>;
}

function createState(bytes: number): TraceState {
  return {
    again: signal<Uint8Array | null>(null),
    names: createNames(),
    hasShortNames: signal(false),
    companions: signal<readonly Companion[]>([]),
    entry: signal<string | null>(null),
    hasOthers: signal(false),
    info: signal<TraceInfo | null>(null),
    status: signal<Status>({ at: 'loading' }),
    progress: signal<Progress>({
      bytesRead: 0,
      bytes,
      events: 0,
      slices: 0,
      storeBytes: 0,
      extent: null,
      problems: [],
      stage: null,
      uncertainty: null,
    }),
    tracks: signal(NO_TRACKS),
    addTracks: createTracks(),
    evicted: signal<readonly number[]>([]),
  };
}

/** What takes over the reports of the worker. */
function createReports(state: TraceState): Omit<TraceReports, 'unpacked' | 'kept' | 'failed'> {
  return {
    archive: (archive) => {
      state.hasOthers.value = true;
      state.status.value = { at: 'choosing', archive };
    },
    opened: (info, _, entry) => {
      state.entry.value = entry;
      state.info.value = info;
    },
    described: (properties) => {
      const info = state.info.peek();
      if (info && String(info.properties) !== String(properties)) state.info.value = { ...info, properties };
    },
    names: (first, names, keys) => state.names.add(first, textsOf(names), keys && textsOf(keys)),
    shortNames: (isOffered, names, goesOn) => {
      state.hasShortNames.value = isOffered;
      if (names) state.names.shorten(names.ids, textsOf(names.names), goesOn);
      else if (state.names.isShort.peek()) state.names.shorten(new Uint32Array(), []);
    },
    renamed: (ids, names, keys, goesOn) => state.names.rename(ids, textsOf(names), keys && textsOf(keys), goesOn),
    again: (jumps) => {
      state.again.value = jumps;
    },
    attached: (attachment) => {
      state.companions.value = state.companions
        .peek()
        .map((companion) => (companion.id === attachment.companion ? { ...companion, attachment } : companion));
    },
    tracks: (tracks, more) => {
      state.addTracks(tracks);
      // What follows from the tracks is computed once they are all here.
      if (!more) state.tracks.value = state.addTracks([]);
    },
    evicted: (tracks) => {
      state.evicted.value = [...tracks];
    },
    progress: (progress) => {
      state.progress.value = progress;
    },
    done: (how, progress, error) => {
      state.progress.value = progress;
      state.status.value = { at: 'ready', how, error };
    },
  };
}

/** A trace that has events on the screen keeps them when its worker dies. */
function failWith({ progress, status }: TraceState, error: TraceError, companion: CompanionKind | null): void {
  const shows = progress.peek().events > 0 && status.peek().at !== 'failed';
  status.value = shows ? { at: 'ready', how: 'broken', error } : { at: 'failed', error, companion };
}
