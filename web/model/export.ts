import { type ReadonlySignal, signal } from '@preact/signals';
import type { ExportFormat, ExportTrace, FromExport, ToExport } from '../base/export_protocol.ts';
import type { Track } from '../base/protocol.ts';
import type { Trace } from './trace.ts';
import type { Extent } from './view.ts';

/** The part of `Worker` that an export uses. Tests substitute their own. */
export interface ExportPort {
  postMessage(message: ToExport, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromExport>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

/** Where the bytes of an export go. */
export interface Sink {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** The file is complete. */
  close(): Promise<void>;
  /** What was written is to be thrown away. */
  abort(): Promise<void>;
}

/** A format as it is offered. */
export interface OfferedFormat {
  readonly id: ExportFormat;
  readonly label: string;
  /** What opens it. */
  readonly hint: string;
  /** What names of its files end with, as in `Format::extension` of `crate/export`. */
  readonly ending: string;
  /** What it has: everything, call stacks only, or counters only. */
  readonly has: 'all' | 'stacks' | 'counters';
}

/** All formats, in the order of the menu. */
export const EXPORT_FORMATS: readonly OfferedFormat[] = [
  { id: 'perfetto', label: 'Perfetto', hint: 'ui.perfetto.dev', ending: '.pftrace', has: 'all' },
  { id: 'chrome', label: 'Chrome JSON', hint: 'Trace Event Format', ending: '.json', has: 'all' },
  { id: 'speedscope', label: 'speedscope', hint: 'speedscope.app', ending: '.speedscope.json', has: 'stacks' },
  { id: 'folded', label: 'Folded stacks', hint: 'flame graph tools', ending: '.folded.txt', has: 'stacks' },
  { id: 'pprof', label: 'pprof', hint: 'go tool pprof', ending: '.pb.gz', has: 'stacks' },
  { id: 'vcd', label: 'VCD', hint: 'GTKWave, values only', ending: '.vcd', has: 'counters' },
  { id: 'csv', label: 'CSV', hint: 'spreadsheets', ending: '.csv', has: 'all' },
];

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
  | { readonly at: 'done'; readonly rows: number; readonly bytes: number; readonly name: string }
  | { readonly at: 'failed'; readonly sentence: string };

/** Exports of a trace, one at a time. */
export interface Exports {
  readonly state: ReadonlySignal<ExportState>;
  /** Writes a file. `open` opens it, and returns null if the person gave up. */
  run(format: OfferedFormat, scope: ExportScope, name: string, open: () => Promise<Sink | null>): Promise<void>;
  cancel(): void;
}

/** The part of a trace that exports use. */
export type ExportedTrace = Pick<Trace, 'tables' | 'tableParts' | 'name' | 'info' | 'progress' | 'tracks'>;

/** Exports of a trace. `spawn` starts the worker of each. */
export function createExports(trace: ExportedTrace, spawn: () => ExportPort): Exports {
  const state = signal<ExportState>({ at: 'idle' });
  let stop: (() => void) | null = null;
  return {
    state,
    run: async (format, scope, name, open) => {
      if (stop) return;
      // Before the worker starts: a file can be chosen only as an answer to a click.
      let sink: Sink | null = null;
      try {
        sink = await open();
      } catch {
        state.value = { at: 'failed', sentence: 'The file could not be opened for writing.' };
      }
      if (!sink) return;
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
        const written = await write(trace, format, scope, spawn, sink, stopped, told);
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
    },
    cancel: () => stop?.(),
  };
}

/** Runs the worker. Resolves with null if it was stopped. */
async function write(
  trace: ExportedTrace,
  format: OfferedFormat,
  scope: ExportScope,
  spawn: () => ExportPort,
  sink: Sink,
  stopped: Promise<null>,
  tell: (share: number, bytes: number) => void,
): Promise<{ rows: number; bytes: number } | null> {
  const what = await exported(trace, format, scope);
  if (what.wanted.length === 0) {
    throw new Error(`There are no ${format.has === 'counters' ? 'values' : 'call stacks'} to export.`);
  }
  const port = spawn();
  let bytes = 0;
  try {
    return await Promise.race([
      stopped,
      new Promise<{ rows: number; bytes: number }>((resolve, reject) => {
        const ended = (reason: string) => reject(new Error(`The export stopped (${reason || 'no reason given'}).`));
        port.onerror = (event) => {
          event.preventDefault();
          ended(event.message);
        };
        port.onmessageerror = () => ended('a message could not be read');
        const hear = async (message: FromExport) => {
          switch (message.t) {
            case 'want': {
              const { first, most } = message;
              const reply = await trace.tables(scope.range, first, most);
              if (!reply) throw new Error('The reader of this trace has stopped.');
              port.postMessage({ t: 'pages', first, pages: reply.pages }, [reply.pages.buffer]);
              return;
            }
            case 'bytes':
              await sink.write(message.bytes);
              bytes += message.bytes.length;
              tell(message.rows > 0 ? message.done / message.rows : 0, bytes);
              port.postMessage({ t: 'go' });
              return;
            case 'done':
              resolve({ rows: message.rows, bytes });
              return;
            case 'failed':
              throw new Error(message.sentence);
          }
        };
        port.onmessage = ({ data }) => void hear(data).catch(reject);
        port.postMessage({ t: 'begin', format: format.id, trace: what });
      }),
    ]);
  } finally {
    port.terminate();
  }
}

const KINDS = { process: 0, thread: 1, lane: 2, counter: 3 } as const;

/** What the worker has to know. */
async function exported(trace: ExportedTrace, format: OfferedFormat, scope: ExportScope): Promise<ExportTrace> {
  const info = trace.info.peek();
  const parts = await trace.tableParts(scope.range);
  if (!info || !parts) throw new Error('The reader of this trace has stopped.');
  const tracks = [...trace.tracks.peek().values()].sort((a, b) => a.id - b.id);
  const { clock } = info;
  return {
    name: trace.name,
    title: info.title,
    frequency: clock.kind === 'seconds' ? Number(clock.frequency) : 0,
    unit: clock.kind === 'ordinal' ? clock.unit : 'tick',
    origin: trace.progress.peek().extent?.from ?? 0n,
    end: trace.progress.peek().extent?.to ?? 0n,
    range: scope.range,
    parts,
    kinds: Uint8Array.from(tracks, kindOf),
    names: tracks.map((track) => track.name),
    numbers: BigInt64Array.from(tracks, (track) => BigInt(track.thread ?? 0)),
    parents: Int32Array.from(tracks, (track) => track.parent),
    wanted: Uint32Array.from(wantedOf(tracks, format, scope)),
  };
}

function kindOf({ kind, overlapping, thread, values }: Track): number {
  return KINDS[kind] + (overlapping ? 4 : 0) + (thread === undefined ? 0 : 8) + (values === 'float' ? 16 : 0);
}

/** Formats of stacks have threads; the lanes beside them, such as those of frames, are no stacks. */
function wantedOf(tracks: readonly Track[], format: OfferedFormat, { track }: ExportScope): number[] {
  const all = tracks.filter(({ id }) => track === null || id === track);
  if (format.has === 'counters') return all.filter(({ samples }) => samples > 0).map(({ id }) => id);
  if (format.has === 'all') return all.map(({ id }) => id);
  const stacks = all.filter(({ slices, overlapping }) => slices > 0 && !overlapping);
  const threads = stacks.filter(({ kind }) => kind === 'thread');
  return (threads.length > 0 ? threads : stacks).map(({ id }) => id);
}
