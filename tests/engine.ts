/*
 * The engine in Node: a real trace in a unit test. The modules of WebAssembly are those of the page, and so is all of its TypeScript. What
 * runs in workers there runs in the thread of the test (`engine/workers.ts`), and files are in memory (`engine/files.ts`).
 *
 *     const { open } = await openInNode('xray/threads.xray');
 *     expect(open.trace.progress.value.slices).toBe(513);
 */

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MessagePort } from 'node:worker_threads';
import { signal } from '@preact/signals';
import { h, render } from 'preact';
import { act } from 'preact/test-utils';
import { onTestFinished } from 'vitest';
import { startWorker } from '../web/base/workers.ts';
import type { Page } from '../web/page/page.ts';
import type { Recent } from '../web/page/recent.ts';
import { createWorkbench, type Workbench } from '../web/page/workbench.ts';
import type { OpenTrace, Pair } from '../web/timeline/open_trace.ts';
import recordWorker from '../web/trace/worker/records.ts?worker&url';
import traceWorker from '../web/trace/worker/worker.ts?worker&url';
import { completeDocument } from './engine/browser.ts';
import { BytesBlob, BytesFile, BytesReader, BytesTransfer } from './engine/files.ts';
import { EngineWorker, FileChannel, noteAddress } from './engine/workers.ts';

const ROOT = join(import.meta.dirname, '..');
const FIXTURES = join(import.meta.dirname, 'fixtures');
/** Milliseconds in which a trace of the fixtures is open on any machine. */
const PATIENCE = 60_000;
const served = globalThis.fetch;

/** Answers with files of the repository, as the host of the page does. Addresses elsewhere are not reached. */
async function fetchHere(address: URL | RequestInfo): Promise<Response> {
  const { protocol, pathname } = new URL(String(address), 'http://localhost:3000/');
  if (protocol !== 'file:' && protocol !== 'http:') return served(address);
  const inside = pathname.startsWith('/samples/') ? join('web/public', pathname) : pathname.replace(/^\/@fs/, '');
  const path = pathname.startsWith(ROOT) ? pathname : join(ROOT, inside);
  try {
    const type = path.endsWith('.wasm') ? 'application/wasm' : 'application/octet-stream';
    return new Response(readFileSync(path), { headers: { 'content-type': type } });
  } catch {
    return new Response(null, { status: 404 });
  }
}

/** Compiles what {@link fetchHere} answers: Node streams to the compiler from its own answers only, not from those of a test's document. */
async function instantiateWhole(reply: Response | PromiseLike<Response>, imports?: WebAssembly.Imports) {
  return WebAssembly.instantiate(await (await reply).arrayBuffer(), imports);
}

/** Puts what a browser has and Node has not into the globals of this thread. Test files can each have other ones. */
function install(): void {
  Object.assign(globalThis, {
    Blob: BytesBlob,
    DataTransfer: BytesTransfer,
    File: BytesFile,
    FileReaderSync: BytesReader,
    MessageChannel: FileChannel,
    MessagePort,
    Worker: EngineWorker,
    fetch: fetchHere,
  });
  // It would end a worker. What ends workers is tried in a browser.
  globalThis.reportError ??= () => undefined;
  Response.prototype.blob = async function () {
    return new BytesBlob([await this.arrayBuffer()], { type: this.headers.get('content-type') ?? '' });
  };
  WebAssembly.instantiateStreaming = instantiateWhole;
  globalThis.location ??= new URL('http://localhost:3000/') as unknown as Location;
  URL.createObjectURL = (blob) => noteAddress(blob as Blob);
  URL.revokeObjectURL = () => undefined;
  if ('document' in globalThis) completeDocument();
}

/** A file of `tests/fixtures`, by its path there, or of a whole path. */
export function fileOf(path: string): File {
  return new BytesFile([readFileSync(path.startsWith('/') ? path : join(FIXTURES, path))], basename(path));
}

const spawn = () => startWorker(traceWorker);
const spawnRecords = () => startWorker(recordWorker);
const net = { base: 'http://localhost:3000/', online: true, fetch: fetchHere };
const recent: Recent = {
  files: signal([]),
  load: async () => undefined,
  know: () => undefined,
  again: async () => null,
  handleOf: () => null,
  note: async () => undefined,
  isGranted: async () => false,
  open: async () => null,
  remove: async () => undefined,
  removeAll: async () => undefined,
};

/** Waits until a value is there, as a test of a page does: it is looked at again whenever the thread has nothing else to do. */
export async function eventually<T>(look: () => T | null | undefined | false, what = 'what is waited for'): Promise<T> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    const value = look();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > end) throw new Error(`${what} is not there after ${PATIENCE / 1000} s`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Waits until the file in front is read, or refused. Returns it. */
async function whenOpen(workbench: Workbench): Promise<OpenTrace> {
  return eventually(() => {
    const bench = workbench.bench.peek();
    const isThere = bench.at === 'open' && ['ready', 'failed', 'choosing'].includes(bench.open.trace.status.peek().at);
    return isThere && bench.open;
  }, 'the trace');
}

/** An open trace, and the workbench that it is open in. */
export interface InNode {
  readonly open: OpenTrace;
  readonly workbench: Workbench;
}

/**
 * Opens a fixture, by its path in `tests/fixtures`, with companions or with a second trace after it as if they were chosen together.
 * Resolves once it is read. It is closed at the end of the test.
 */
export async function openInNode(...paths: readonly string[]): Promise<InNode> {
  install();
  const workbench = createWorkbench(spawn, spawnRecords, net, undefined, recent);
  onTestFinished(workbench.close);
  await workbench.openFiles(paths.map(fileOf));
  return { open: await whenOpen(workbench), workbench };
}

/** Opens two fixtures that are compared. */
export async function openPairInNode(a: string, b: string): Promise<InNode & { readonly pair: Pair }> {
  const { workbench } = await openInNode(a);
  await workbench.compare({ file: fileOf(b), name: basename(b), companions: [] });
  const pair = await eventually(() => workbench.pair.peek(), 'the pair');
  await eventually(() => pair.b.trace.status.peek().at === 'ready', 'the second trace');
  return { open: pair.a, workbench, pair };
}

/** The page, in the document of a test. */
export interface MountedPage {
  readonly page: Page;
  /** What contains the page. */
  readonly host: HTMLElement;
  /** Takes the page out of the document, and closes what is open. */
  unmount(): void;
}

/** Mounts the page in the document, as the browser does when it is opened: without a trace, layout and pictures. */
export async function mountPage(): Promise<MountedPage> {
  install();
  const [{ App }, { createPage, startPage }] = await Promise.all([
    import('../web/app/app.tsx'),
    import('../web/app/page.ts'),
  ]);
  for (const mark of ['unspool:open', 'unspool:first-picture', 'unspool:complete']) performance.clearMarks(mark);
  const page = createPage({ spawn, spawnRecords, net, storage: localStorage, recent });
  const host = document.createElement('div');
  document.body.append(host);
  const end = startPage(page);
  act(() => render(h(App, { page }), host));
  const unmount = () => {
    page.workbench.close();
    act(() => render(null, host));
    end();
    host.remove();
  };
  return { page, host, unmount };
}

/** Mounts the page and opens fixtures in it: header, timeline, dock and panes. It is gone at the end of the test. */
export async function mountInNode(...paths: readonly string[]): Promise<InNode & MountedPage> {
  const mounted = await mountPage();
  onTestFinished(mounted.unmount);
  const { workbench } = mounted.page;
  await workbench.openFiles(paths.map(fileOf));
  const open = await whenOpen(workbench);
  await eventually(() => mounted.host.querySelector('.area'), 'the timeline');
  return { ...mounted, open, workbench };
}
