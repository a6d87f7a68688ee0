import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { TraceError } from '../base/protocol.ts';
import { createEvents, type Events } from './events.ts';
import { createPreview, type Preview } from './preview.ts';
import type { RecordsPort } from './records.ts';
import { createSelection, type Selection } from './selection.ts';
import { createSpare } from './spare.ts';
import { createStatistics, type Statistics } from './statistics.ts';
import { createTimeline, type Timeline } from './timeline.ts';
import { openTrace, type Port, type Trace } from './trace.ts';

/** An open trace with the state of its views. */
export interface OpenTrace {
  /** Counts the traces that this page has opened, from 1. */
  readonly id: number;
  readonly file: Blob;
  readonly trace: Trace;
  readonly timeline: Timeline;
  readonly selection: Selection;
  readonly preview: Preview;
  readonly statistics: Statistics;
  readonly events: Events;
}

/** What the page shows. */
export type Bench =
  | { readonly at: 'empty' }
  /** The file is being downloaded. Sizes are bytes; `total` is null if unknown. */
  | { readonly at: 'fetching'; readonly name: string; readonly received: number; readonly total: number | null }
  /** The download failed. */
  | { readonly at: 'refused'; readonly name: string; readonly error: TraceError }
  | { readonly at: 'open'; readonly open: OpenTrace };

/** `document.body.dataset.state`. */
export type PageState = 'empty' | 'loading' | 'ready' | 'failed';

/** The open trace, and the ways to open one. Opening a trace closes the previous one and frees its memory. */
export interface Workbench {
  readonly bench: ReadonlySignal<Bench>;
  readonly state: ReadonlySignal<PageState>;
  /** A sentence about the last action, or ''. */
  readonly notice: ReadonlySignal<string>;
  /** Prepares for a file that is likely to come: starts its worker. */
  warm(): void;
  /** Opens the first of the files. A notice names the number of the others. */
  openFiles(files: readonly File[]): void;
  openBlob(blob: Blob, name: string): void;
  openUrl(url: string): Promise<void>;
  /** Stops the download or the reading. */
  cancel(): void;
  dismissNotice(): void;
}

/** A workbench without a trace. `spawn` starts a worker for a trace, `spawnRecords` one for the records of a trace. */
export function createWorkbench(spawn: () => Port, spawnRecords: () => RecordsPort): Workbench {
  const bench = signal<Bench>({ at: 'empty' });
  const spare = createSpare(spawn);
  const notice = signal('');
  let fetching: AbortController | null = null;
  let opened = 0;

  const leave = () => {
    fetching?.abort();
    fetching = null;
    notice.value = '';
    const now = bench.peek();
    if (now.at !== 'open') return;
    now.open.timeline.dispose();
    now.open.preview.dispose();
    now.open.events.dispose();
    now.open.statistics.dispose();
    now.open.selection.dispose();
    now.open.trace.dispose();
  };
  const openBlob = (blob: Blob, name: string) => {
    leave();
    for (const mark of ['unspool:open', 'unspool:first-picture', 'unspool:complete']) performance.clearMarks(mark);
    performance.mark('unspool:open', { detail: { bytesRead: 0, bytes: blob.size, events: 0 } });
    const trace = openTrace(spare.take(), blob, name, spawnRecords);
    const selection = createSelection(trace);
    const preview = createPreview(trace, selection.hovered);
    const statistics = createStatistics(trace);
    const timeline = createTimeline(trace);
    const events = createEvents(trace, timeline, statistics, selection);
    opened += 1;
    const open: OpenTrace = { id: opened, file: blob, trace, timeline, selection, preview, statistics, events };
    bench.value = { at: 'open', open };
  };

  const openUrl = async (url: string) => {
    leave();
    const name = nameOf(url);
    const controller = new AbortController();
    fetching = controller;
    spare.warm();
    bench.value = { at: 'fetching', name, received: 0, total: null };
    try {
      const blob = await spool(url, controller.signal, (received, total) => {
        if (fetching === controller) bench.value = { at: 'fetching', name, received, total };
      });
      if (fetching === controller) openBlob(blob, name);
    } catch (error) {
      if (fetching === controller) bench.value = { at: 'refused', name, error: asTraceError(url, error) };
    }
  };

  return {
    bench,
    notice,
    warm: spare.warm,
    state: computed(() => stateOf(bench.value)),
    openFiles: (files) => {
      const [first, ...others] = files;
      if (!first) return;
      openBlob(first, first.name);
      if (others.length > 0) {
        notice.value = `Opened ${first.name}. One trace is shown at a time: the other ${others.length === 1 ? 'file was' : `${others.length} files were`} left out.`;
      }
    },
    openBlob,
    openUrl,
    cancel: () => {
      const now = bench.peek();
      if (now.at === 'open') now.open.trace.cancel();
      if (now.at !== 'fetching') return;
      leave();
      bench.value = { at: 'empty' };
    },
    dismissNotice: () => {
      notice.value = '';
    },
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

/** Downloads into a blob, which the browser may keep on disk. Throws {@link Refused} for an HTTP error. */
async function spool(
  url: string,
  signal: AbortSignal,
  tell: (received: number, total: number | null) => void,
): Promise<Blob> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Refused(response.status);
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  // With a content encoding the header gives the compressed length.
  const total = Number.isFinite(length) && !response.headers.get('content-encoding') ? length : null;
  if (!response.body) return response.blob();
  let received = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (bytes, controller) => {
        received += bytes.byteLength;
        tell(received, total);
        controller.enqueue(bytes);
      },
    }),
  );
  return new Response(counted).blob();
}

/** An HTTP status other than success. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

function asTraceError(url: string, error: unknown): TraceError {
  const host = hostOf(url);
  const sentence =
    error instanceof Refused
      ? `${host} answered with status ${error.status} instead of the file.`
      : `The file could not be fetched from ${host}: it cannot be reached, or it does not allow other pages to read it (CORS).`;
  return { kind: 'unreadable', sentence, offset: null };
}

function nameOf(url: string): string {
  const path = new URL(url, location.href).pathname;
  return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)) || 'trace';
}

function hostOf(url: string): string {
  try {
    return new URL(url, location.href).host;
  } catch {
    return url;
  }
}
