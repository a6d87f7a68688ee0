import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import {
  type ArgumentsFrom,
  type CleanChoices,
  type Cleaned,
  cleanOf,
  type ExportFormat,
  KEEP_ALL,
} from '../../base/export_protocol.ts';
import type { TraceInfo, Track } from '../../base/protocol.ts';
import type { RemoteWorker } from '../../base/remote.ts';
import type { Sink } from '../../trace/save_file.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Extent } from '../../trace/view.ts';
import { READER_STOPPED, type Tell, type Written, writeBy } from '../../trace/writing.ts';

/** A format as it is offered. */
export interface OfferedFormat {
  /** `own`: the trace's own format. */
  readonly id: ExportFormat | 'own';
  readonly label: string;
  /** What opens it. */
  readonly hint: string;
  /** What names of its files end with, as in `Format::extension` of `crate/export`. */
  readonly ending: string;
  /** What it has: everything, call stacks only, or counters only. */
  readonly has: 'all' | 'stacks' | 'counters';
  /** Whether it has arguments of calls and events, too. */
  readonly args?: true;
}

/** All formats, in the order of the menu. */
export const EXPORT_FORMATS: readonly OfferedFormat[] = [
  { id: 'perfetto', label: 'Perfetto', hint: 'ui.perfetto.dev', ending: '.pftrace', has: 'all', args: true },
  { id: 'chrome', label: 'Chrome JSON', hint: 'Trace Event Format', ending: '.json', has: 'all', args: true },
  { id: 'speedscope', label: 'speedscope', hint: 'speedscope.app', ending: '.speedscope.json', has: 'stacks' },
  { id: 'folded', label: 'Folded stacks', hint: 'flame graph tools', ending: '.folded.txt', has: 'stacks' },
  { id: 'pprof', label: 'pprof', hint: 'go tool pprof', ending: '.pb.gz', has: 'stacks' },
  { id: 'vcd', label: 'VCD', hint: 'GTKWave, values only', ending: '.vcd', has: 'counters' },
  { id: 'csv', label: 'CSV', hint: 'spreadsheets', ending: '.csv', has: 'all' },
];

/** The trace's own format, which a part of it is written in. `ending` is that of `file`, its name as of {@link unpackedName}. */
export function ownFormat(title: string, file: string): OfferedFormat {
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(file)?.[0] ?? '';
  return { id: 'own', label: title, hint: 'opens here', ending, has: 'all' };
}

/** A sentence about what a part in the trace's own format lacks, or null if it has all that its range has. */
export function lackOfPart({ offers }: TraceInfo, { range }: ExportScope): string | null {
  if (!range || offers.includes('openCalls')) return null;
  return 'A part has no state from before it, and no calls that enclose it.';
}

/** The name of a file without its compression, which a part of it does not have. */
export function unpackedName(name: string): string {
  return name.replace(/(?<=.)\.(gz|zst|xz|br)$/i, '');
}

/** Whether the calls or events of a trace have arguments. Operands of steps and values of variables are not arguments. */
export function hasArguments({ offers }: TraceInfo): boolean {
  return !offers.some((offer) => offer === 'sql' || offer === 'state' || offer === 'values');
}

/** What part of a trace is exported. */
export interface ExportScope {
  /** `to` is exclusive; null for the whole trace. */
  readonly range: Extent | null;
  /** The only track; null for all. */
  readonly track: number | null;
}

/** The state of the latest export. */
export type ExportState =
  | { readonly at: 'idle' }
  /** `share` is from 0 to 1. */
  | { readonly at: 'running'; readonly share: number; readonly bytes: number }
  | {
      readonly at: 'done';
      readonly rows: number;
      readonly bytes: number;
      readonly name: string;
      /** Why reading stopped before the end, or ''. */
      readonly stopped: string;
    }
  | { readonly at: 'failed'; readonly sentence: string };

/** Exports of a trace, one at a time. */
export interface Exports {
  readonly state: ReadonlySignal<ExportState>;
  /** Writes a file. `open` opens it, and returns null if the user gave up. */
  run(format: OfferedFormat, scope: ExportScope, name: string, open: () => Promise<Sink | null>): Promise<void>;
  /** Writes a file by a function that returns its length. */
  save(name: string, open: () => Promise<Sink | null>, write: (sink: Sink) => Promise<number>): Promise<void>;
  /** What is hashed and left out. */
  readonly choices: Signal<CleanChoices>;
  /** Whether arguments are exported, where the format and the trace have them. */
  readonly args: Signal<boolean>;
  /** Looks for what would be hashed and left out. Rejects with a sentence. */
  preview(format: OfferedFormat, scope: ExportScope): Promise<Cleaned>;
  cancel(): void;
}

/** The part of a trace that exports use. */
export type ExportedTrace = Pick<Trace, 'name' | 'info' | 'tracks' | 'content' | 'recordSource'>;

/** Exports of a trace. `spawn` starts the worker of each: that of cut traces, or that of all others. */
export function createExports(trace: ExportedTrace, spawn: (of: 'stretch' | 'other') => RemoteWorker): Exports {
  const state = signal<ExportState>({ at: 'idle' });
  const choices = signal<CleanChoices>(KEEP_ALL);
  const args = signal(true);
  // The same for all that is saved of a trace, so that its files can be compared.
  const key = crypto.getRandomValues(new Uint8Array(16));
  let stop: (() => void) | null = null;

  const clean = (examples: boolean) => cleanOf(choices.peek(), key, examples);
  const saving = async (
    name: string,
    open: () => Promise<Sink | null>,
    write: (sink: Sink, stopped: Promise<null>, tell: Tell) => Promise<Written | null>,
  ) => {
    if (stop) return;
    stop = () => undefined;
    // Before the worker starts: a file can be chosen only as an answer to a click.
    let sink: Sink | null = null;
    try {
      sink = await open();
    } catch {
      state.value = { at: 'failed', sentence: 'The file could not be opened for writing.' };
    }
    if (!sink) {
      stop = null;
      return;
    }
    state.value = { at: 'running', share: 0, bytes: 0 };
    let cancelled = false;
    try {
      const stopped = new Promise<null>((resolve) => {
        stop = () => {
          cancelled = true;
          resolve(null);
        };
      });
      const told = (share: number, bytes: number) => {
        if (!cancelled) state.value = { at: 'running', share, bytes };
      };
      const written = await write(sink, stopped, told);
      if (written && !cancelled) {
        await sink.close();
        state.value = { at: 'done', ...written, name };
      } else {
        await sink.abort();
        state.value = { at: 'idle' };
      }
    } catch (thrown) {
      await sink.abort().catch(() => undefined);
      const sentence = thrown instanceof Error ? thrown.message : String(thrown);
      state.value = { at: 'failed', sentence };
    } finally {
      stop = null;
    }
  };
  /** What is to be written, and by which worker. */
  const beginning = async (format: OfferedFormat, scope: ExportScope, preview: boolean) => {
    if (format.id === 'own') {
      const file = trace.content.peek();
      if (!file) throw new Error('The file is not unpacked yet.');
      const { from, to } = scope.range ?? { from: 0n, to: (1n << 64n) - 1n };
      const part = { file, from, to, only: null, texts: new Float64Array() };
      return { of: 'stretch', job: { ...part, clean: clean(preview), preview } } as const;
    }
    const wanted = wantedOf([...trace.tracks.peek().values()], format, scope);
    if (wanted.length === 0) {
      throw new Error(`There are no ${format.has === 'counters' ? 'values' : 'call stacks'} to export.`);
    }
    const wantsArgs = format.args && args.peek();
    const from = wantsArgs ? await argumentsOf(trace) : null;
    return {
      of: 'other',
      job: {
        format: format.id,
        name: trace.name,
        range: scope.range,
        wanted,
        clean: clean(preview),
        preview,
        args: from,
      },
    } as const;
  };
  return {
    state,
    choices,
    args,
    run: (format, scope, name, open) =>
      saving(name, open, async (sink, stopped, tell) => {
        const { of, job } = await beginning(format, scope, false);
        const written = await writeBy(trace, job, () => spawn(of), sink, stopped, tell);
        if (!written) return null;
        const { rows, bytes, stopped: why } = written;
        return { rows, bytes, stopped: why };
      }),
    save: (name, open, write) =>
      saving(name, open, async (sink) => ({ rows: 0, bytes: await write(sink), stopped: '' })),
    preview: async (format, scope) => {
      const nothing = async () => undefined;
      const nowhere: Sink = { write: nothing, overwrite: nothing, close: nothing, abort: nothing };
      const never = new Promise<null>(() => undefined);
      const { of, job } = await beginning(format, scope, true);
      const found = await writeBy(
        trace,
        job,
        () => spawn(of),
        nowhere,
        never,
        () => undefined,
      );
      return found!.cleaned;
    },
    cancel: () => stop?.(),
  };
}

/** What arguments are read from; null if the trace has none. */
async function argumentsOf(trace: ExportedTrace): Promise<ArgumentsFrom | null> {
  const info = trace.info.peek();
  const file = trace.content.peek();
  if (!info || !hasArguments(info) || !file) return null;
  const index = await trace.recordSource.index();
  if (!index) throw new Error(READER_STOPPED);
  return { format: info.format, file, index };
}

/** The tracks to export. Formats of stacks have threads; the lanes beside them, such as those of frames, are not stacks. */
function wantedOf(tracks: readonly Track[], format: OfferedFormat, { track }: ExportScope): Uint32Array {
  const all = tracks.filter(({ id }) => track === null || id === track).sort((a, b) => a.id - b.id);
  const stacks = all.filter(({ slices, overlapping }) => slices > 0 && !overlapping);
  const threads = stacks.filter(({ kind }) => kind === 'thread');
  const counters = all.filter(({ samples }) => samples > 0);
  const of = { all, counters, stacks: threads.length > 0 ? threads : stacks };
  return Uint32Array.from(of[format.has], ({ id }) => id);
}
