import { computed, effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals';
import type { CompanionFile, Look } from '../base/companions.ts';
import type { TraceError } from '../base/protocol.ts';
import type { RemoteWorker } from '../base/remote.ts';
import { mayBeNotes, type NotesFile, sortOutNotes } from '../timeline/notes/notes_file.ts';
import { createOpenTrace, type OpenTrace, type Pair } from '../timeline/open_trace.ts';
import { rememberTracks } from '../timeline/track_memory.ts';
import { applyValueTypes } from '../timeline/value_types.ts';
import { type BrowserMemory, createBrowserMemory } from '../trace/file_memory.ts';
import { createAccount } from '../trace/ledger.ts';
import { whenAgain } from '../trace/read_again.ts';
import { openTrace, type Trace, type TraceFile } from '../trace/trace.ts';
import type { Net } from './download.ts';
import type { ChangedFile } from './file_change.ts';
import { loadComparing, loadDownload, loadOpening, watchOpen } from './later.ts';
import { createNotices, type Notices } from './notices.ts';
import type { ComparedFile, Opener } from './opener.ts';
import type { Looking, Offer, Plan, Purpose } from './opening.ts';
import type { Disk } from './recent.ts';
import { createSpare } from './spare.ts';

/** Milliseconds until the page says that it looks at files. */
const LOOKING_MS = 300;

/** When a trace was recognised, and how long reading it took. In milliseconds; null until then. */
interface Cost {
  recognised: number | null;
  took: number | null;
}

/** What the page shows. */
export type Bench =
  | { readonly at: 'empty' }
  /** The file is being downloaded. Sizes are bytes; `total` is null if unknown. */
  | { readonly at: 'fetching'; readonly name: string; readonly received: number; readonly total: number | null }
  /** The download failed. */
  | { readonly at: 'refused'; readonly name: string; readonly error: TraceError }
  | { readonly at: 'open'; readonly open: OpenTrace };

/** A trace that took longer than this to read is not closed without a question. */
const COSTLY_MS = 2000;

/** `document.body.dataset.state`. */
export type PageState = 'empty' | 'loading' | 'choosing' | 'ready' | 'failed';

/**
 * The open trace, and the ways to open one. Opening a trace closes the previous one and frees its memory. Of two that are compared, the
 * open one is that in front: what panels, header and keys are about.
 */
export interface Workbench {
  readonly bench: ReadonlySignal<Bench>;
  /** The two traces that are compared; null while there is one, or none. */
  readonly pair: ReadonlySignal<Pair | null>;
  readonly state: ReadonlySignal<PageState>;
  /** A sentence about the last action; null without one. */
  readonly notice: Notices['latest'];
  /** Prepares for a file that is likely to come: starts its worker. */
  warm(): void;
  /** Companions whose trace is still to come. */
  readonly waiting: ReadonlySignal<readonly CompanionFile[]>;
  /**
   * Opens the trace among the files, with its companions. Without one, the open trace gets the companions. Asks before it replaces
   * a trace that is costly, and before it replaces any by what was dropped. Two traces of one format are compared. Notes among the files
   * are added to the trace.
   */
  openFiles(files: readonly File[], purpose?: Purpose): Promise<void>;
  /** Compares the open trace, as the base, with another one. Resolves once that is open or refused. */
  compare(file: TraceFile): Promise<void>;
  /** The same with a file that is downloaded. */
  compareUrl(url: string): Promise<void>;
  openBlob(blob: Blob, name: string): void;
  /** Opens a file that another page has sent, but asks before it replaces a trace. */
  offer(blob: Blob, name: string): void;
  /** The file that waits for the user to agree, or null. */
  readonly offered: ReadonlySignal<Offer | null>;
  /** Whether the open trace took more than 2 s to read, or is still being read after that time. */
  isCostly(): boolean;
  /** Takes a companion away from the open trace, or from those that wait. */
  removeCompanion(id: number): void;
  openUrl(url: string): Promise<void>;
  /** The address that a file was downloaded from, as it was given; null if it was not. */
  urlOf(file: Blob): string | null;
  /** Opens the file again, to choose another trace of the archive. */
  reopen(): void;
  /** Opens the file again without the limit at which reading stopped. */
  goOn(): void;
  /** What has become of the file on disk since it was opened; null if nothing. */
  readonly changed: Signal<(ChangedFile & { readonly open: OpenTrace }) | null>;
  /** Opens the file again as it is now, and follows it if that is possible. */
  readAgain(): Promise<void>;
  /** Opens a part of the trace, written as a trace of its own, in its place. */
  openPart(part: Blob, name: string): void;
  /** Opens the trace again with the callees of tail calls under the functions that left by them, or beside these again. */
  nestTailCalls(nested: boolean): void;
  /** The files whose contents are being looked at to decide what to open, if that takes long; null otherwise. */
  readonly looking: ReadonlySignal<Looking | null>;
  /** Stops the download, the reading, or the look at files. */
  cancel(): void;
  /** Closes the trace. */
  close(): void;
  /** Shows a notice that informs, and leaves by itself. */
  readonly tell: Notices['tell'];
  /** Shows a notice about a failure, which stays until it is dismissed. */
  readonly warn: Notices['warn'];
  readonly dismissNotice: Notices['dismiss'];
}

/**
 * A workbench without a trace. `spawn` starts a worker for a trace, `spawnRecords` one for the records of a trace. Downloads go
 * through `net`. What is remembered of files is in `memory`. `disk` has files as they are now.
 */
export function createWorkbench(
  spawn: () => RemoteWorker,
  spawnRecords: () => RemoteWorker,
  net: Net,
  memory: BrowserMemory = createBrowserMemory(null),
  disk: Disk = { again: async () => null, handleOf: () => null },
): Workbench {
  const bench = signal<Bench>({ at: 'empty' });
  const spare = createSpare(spawn);
  const { latest: notice, tell, warn, dismiss: dismissNotice } = createNotices();
  const changed: Workbench['changed'] = signal(null);
  const offered = signal<Offer | null>(null);
  let fetching: AbortController | null = null;
  const urls = new WeakMap<Blob, string>();
  let opened = 0;
  const account = createAccount();
  const pair = signal<Pair | null>(null);
  /** The traces that are open: one, or two that are compared, and one that takes the place of another until it is known what it is. */
  const all = new Map<OpenTrace, Cost>();
  const waiting = signal<readonly CompanionFile[]>([]);
  /** Notes whose trace is still to come. */
  let waitingNotes: readonly NotesFile[] = [];
  let lastCompanion = 0;
  const looking = signal<Looking | null>(null);
  let stopLooking: () => void = () => undefined;
  /** Counts the choices of files: what a newer one is about replaces what is known of an older one. */
  let choices = 0;

  const end = (open: OpenTrace) => {
    all.delete(open);
    open.scope.dispose();
  };
  const leave = () => {
    pair.peek()?.scope.dispose();
    pair.value = null;
    for (const open of all.keys()) end(open);
    fetching?.abort();
    fetching = null;
    dismissNotice();
    changed.value = null;
    offered.value = null;
  };
  const openWith = (port: RemoteWorker, file: TraceFile, notes: readonly NotesFile[] = []) => {
    leave();
    for (const mark of ['unspool:open', 'unspool:first-picture', 'unspool:complete']) performance.clearMarks(mark);
    performance.mark('unspool:open', { detail: { bytesRead: 0, bytes: file.file.size, events: 0 } });
    const open = make(port, file, [...waitingNotes, ...notes]);
    waitingNotes = [];
    bench.value = { at: 'open', open };
  };
  /** Opens a file, beside what is open. */
  const make = (port: RemoteWorker, file: TraceFile, notes: readonly NotesFile[] = []) => {
    opened += 1;
    const open = createOpenTrace({
      id: opened,
      trace: openTrace(port, file, spawnRecords, account),
      file: file.file,
      memory,
      tell,
      pair,
      nestTailCalls: (nested) => openAgain({ nested }, open),
    });
    const { trace, timeline, scope } = open;
    const cost: Cost = { recognised: null, took: null };
    all.set(open, cost);
    for (const stop of [
      watch(open, file, cost),
      tellOfWrong(trace),
      whenAgain(trace, (jumps, sentence) => {
        openAgain({ jumps }, open);
        tell(sentence);
      }),
      effect(() => {
        if (trace.ledger.told.value !== '') tell(trace.ledger.told.value);
      }),
      applyValueTypes(trace, timeline.arrangement.ordered),
      addNotes(open, notes),
      rememberTracks(open.memory, timeline.arrangement.choices),
    ]) {
      scope.add(stop);
    }
    watchOpen(open, disk, opener, (change) => {
      changed.value = { ...change, open };
    });
    return open;
  };
  const inFront = () => {
    const now = bench.peek();
    return now.at === 'open' ? now.open : null;
  };
  /** Opens the file of a trace again, in another way or another file in its place. */
  const openAgain = (how: Partial<TraceFile>, open = inFront()) => {
    if (!open) return;
    choices += 1;
    const { trace } = open;
    const { name, lifted, nested } = trace;
    const follow = trace.follows.peek();
    const next = { file: trace.newest(), name, lifted, nested, follow, companions: trace.companions.peek(), ...how };
    const both = pair.peek();
    if (both) both.replace(open, next);
    else openWith(spare.take(), next);
  };
  const opener: Opener = {
    pair,
    inFront,
    show: (open) => {
      bench.value = { at: 'open', open };
    },
    make: (file) => make(spare.take(), file),
    isOpen: (open) => all.has(open),
    end,
    net,
    urls,
    tell,
    warn,
  };
  const compare = async (file: ComparedFile) => (await loadComparing()).compareWith(opener, file);
  const openBlob = (blob: Blob, name: string, notes: readonly NotesFile[] = []) => {
    choices += 1;
    openWith(spare.take(), { file: blob, name, companions: waiting.peek() }, notes);
  };
  /** What becomes of companions when it is known what the file is. */
  const watch = (open: OpenTrace, { file, name }: TraceFile, cost: Cost) => {
    const { trace } = open;
    let known = false;
    return effect(() => {
      const status = trace.status.value;
      const info = trace.info.value;
      if (info) cost.recognised ??= performance.now();
      if (status.at === 'ready' && cost.recognised !== null) cost.took ??= performance.now() - cost.recognised;
      untracked(() => {
        // What was read stays on the screen, but nothing answers any more.
        const ended = status.at === 'ready' ? status.error : null;
        if (ended?.kind === 'crashed' || ended?.kind === 'memory') warn(ended.sentence);
        if (status.at === 'failed' && status.companion !== null && all.size === 1) {
          // It was the only file, so nothing else is lost.
          lastCompanion += 1;
          const id = lastCompanion;
          const kind = status.companion;
          leave();
          bench.value = { at: 'empty' };
          waiting.value = [...waiting.peek(), { id, kind, name, file }];
        } else if (info && !known) {
          known = true;
          waiting.value = [];
          // Some may have come after the file.
          const useless = trace.companions.peek().filter(({ kind }) => !info.companions.includes(kind));
          for (const { id } of useless) trace.detach(id);
          const names = useless.map((companion) => companion.name).join(', ');
          if (names !== '') warn(`This trace cannot use ${names}.`);
        }
      });
    });
  };
  /** A notice for each companion of which something is wrong. */
  const tellOfWrong = (trace: Trace) => {
    const told = new Set<number>();
    return effect(() => {
      for (const { id, name, attachment } of trace.companions.value) {
        if (!attachment?.wrong || told.has(id)) continue;
        told.add(id);
        warn(`${name}: ${attachment.sentence}`);
      }
    });
  };
  /** Adds notes as soon as it is known what they join. */
  const addNotes = ({ notes, memory }: OpenTrace, files: readonly NotesFile[]) => {
    let left = files;
    return effect(() => {
      if (!memory.parts.value || left.length === 0) return;
      const added = left;
      left = [];
      const told = untracked(() => added.map((file) => notes.take(file)));
      tell([notice.peek()?.sentence, ...told].filter(Boolean).join(' '));
    });
  };
  const addCompanions = (open: OpenTrace, added: readonly CompanionFile[]) => {
    const { trace } = open;
    const before = trace.companions.peek();
    // The log changes what the database holds, so that is read again.
    if (added.some(({ kind }) => kind === 'wal')) {
      openAgain({ companions: [...before.filter(({ kind }) => kind !== 'wal'), ...added] });
    } else trace.attach(added);
  };

  /** The open trace, if there is something to show. */
  const shown = () => {
    const open = inFront();
    return open?.trace.status.peek().at === 'failed' ? null : open;
  };

  /** What files are. Looking may take long, so the user can stop it: that ends the worker. */
  const lookFor = async (port: RemoteWorker, files: number, look: () => Promise<readonly Look[] | null>) => {
    let stopped = false;
    const stop = new Promise<null>((resolve) => {
      stopLooking = () => {
        stopped = true;
        port.terminate();
        resolve(null);
      };
    });
    const timer = setTimeout(() => {
      looking.value = { files };
    }, LOOKING_MS);
    const looks = await Promise.race([look(), stop]);
    clearTimeout(timer);
    // A newer look has its own.
    if (!stopped) stopLooking = () => undefined;
    looking.value = null;
    return { looks, stopped };
  };
  const isCostly = () =>
    shown() !== null &&
    [...all.values()].some(
      ({ recognised, took }) => recognised !== null && (took ?? performance.now() - recognised) > COSTLY_MS,
    );
  const ask = (name: string, isSent: boolean, open: () => void, compare: (() => void) | null = null) => {
    const close = () => {
      offered.value = null;
    };
    const closing = (then: () => void) => () => {
      close();
      then();
    };
    offered.value = { name, isSent, accept: closing(open), compare: compare && closing(compare), decline: close };
  };

  const openUrl = async (text: string) => {
    leave();
    const controller = new AbortController();
    fetching = controller;
    spare.warm();
    let name = text;
    bench.value = { at: 'fetching', name, received: 0, total: null };
    try {
      const { addressOf, download } = await loadDownload();
      if (fetching !== controller) return;
      const address = addressOf(text, net.base);
      name = address.name;
      bench.value = { at: 'fetching', name, received: 0, total: null };
      const blob = await download(address, net, controller.signal, (received, total) => {
        if (fetching === controller) bench.value = { at: 'fetching', name, received, total };
      });
      urls.set(blob, text);
      if (fetching === controller) openBlob(blob, name);
    } catch (error) {
      if (fetching === controller) bench.value = { at: 'refused', name, error: error as TraceError };
    }
  };

  return {
    bench,
    pair,
    compare,
    compareUrl: async (url) => (await loadComparing()).compareUrl(opener, url),
    notice,
    warm: spare.warm,
    state: computed(() => stateOf(bench.value)),
    waiting,
    openFiles: async (given, purpose = 'open') => {
      // The usual case waits for nothing.
      const { notes, others: files } = given.some(mayBeNotes)
        ? await sortOutNotes(given)
        : { notes: [], others: given };
      const [first] = files;
      const open = shown();
      if (!first) {
        dismissNotice();
        if (open) open.scope.add(addNotes(open, notes));
        else if (notes.length > 0) {
          waitingNotes = [...waitingNotes, ...notes];
          tell('The notes are added to the trace that you open next.');
        }
        return;
      }
      if (files.length === 1 && !open) return openBlob(first, first.name, notes);
      choices += 1;
      const choice = choices;
      const chosen = files.map((file) => ({ file, name: file.name }));
      const port = spare.take();
      stopLooking();
      const opening = await loadOpening().catch(() => null);
      const look = async () => opening?.lookAt(port, chosen) ?? null;
      const { looks, stopped } = await lookFor(port, files.length, look);
      if (stopped) return;
      if (choice !== choices) return spare.put(port);
      if (!looks || !opening) {
        port.terminate();
        // Opening it says why nothing can be opened.
        return openBlob(first, first.name, notes);
      }
      const info = open?.trace.info.peek();
      const plan = opening.planFor(chosen, looks, info ? { takes: info.companions } : null);
      const number = ({ file, kind }: Plan['companions'][number]) => {
        lastCompanion += 1;
        return { id: lastCompanion, kind, ...chosen[file]! };
      };
      const added = plan.companions.map(number);
      const trace = plan.trace === null ? null : chosen[plan.trace]!;
      if (trace) {
        const file = { ...trace, companions: [...waiting.peek(), ...added] };
        const { second } = plan;
        const openIt = () => {
          openWith(spare.take(), file, notes);
          if (second) void compare({ ...second, ...chosen[second.file]!, companions: second.companions.map(number) });
        };
        const isAlike = !second && info !== undefined && looks[plan.trace!]!.format === info?.format;
        spare.put(port);
        if (purpose === 'compare' && open && !second) {
          warn(plan.notice);
          return compare(file);
        }
        if (isAlike && purpose === 'drop') ask(trace.name, false, openIt, () => void compare(file));
        else if (isCostly()) ask(trace.name, false, openIt);
        else openIt();
      } else {
        spare.put(port);
        if (open && added.length > 0) addCompanions(open, added);
        else if (!open && added.length > 0) waiting.value = [...waiting.peek(), ...added];
        // Nothing fits: the refusal says what does.
        else if (!open) return openBlob(first, first.name);
      }
      warn(plan.notice);
      if (!trace && open && notes.length > 0) open.scope.add(addNotes(open, notes));
    },
    removeCompanion: (id) => {
      waiting.value = waiting.peek().filter((companion) => companion.id !== id);
      const open = shown();
      const companion = open?.trace.companions.peek().find((it) => it.id === id);
      if (!open || !companion) return;
      if (companion.kind !== 'wal') return open.trace.detach(id);
      openAgain({ companions: open.trace.companions.peek().filter((it) => it.id !== id) });
    },
    openBlob,
    offered,
    isCostly,
    offer: (blob, name) => {
      if (shown()) ask(name, true, () => openBlob(blob, name));
      else openBlob(blob, name);
    },
    tell,
    warn,
    openUrl,
    urlOf: (file) => urls.get(file) ?? null,
    reopen: () => {
      const open = inFront();
      if (open) openBlob(open.file, open.trace.name);
    },
    looking,
    goOn: () => openAgain({ lifted: true }),
    openPart: (file, name) => openAgain({ file, name }),
    changed,
    readAgain: async () => {
      const open = changed.peek()?.open ?? inFront();
      const file = open && (await disk.again(open.file).catch(() => null));
      if (file && all.has(open)) openAgain({ file, follow: changed.peek()?.canFollow ?? false }, open);
      else warn('The file cannot be read again. Choose it again.');
    },
    nestTailCalls: (nested) => openAgain({ nested }),
    close: () => {
      stopLooking();
      leave();
      bench.value = { at: 'empty' };
    },
    cancel: () => {
      stopLooking();
      const now = bench.peek();
      if (now.at === 'open') now.open.trace.cancel();
      if (now.at !== 'fetching') return;
      leave();
      bench.value = { at: 'empty' };
    },
    dismissNotice,
  };
}

function stateOf(bench: Bench): PageState {
  switch (bench.at) {
    case 'empty':
      return 'empty';
    case 'fetching':
      return 'loading';
    case 'refused':
      return 'failed';
    case 'open':
      return bench.open.trace.status.value.at;
  }
}
