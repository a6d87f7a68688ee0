import { effect, signal } from '@preact/signals';
import { shortened } from '../base/format.ts';
import { whenIdle } from '../base/idle.ts';
import type { RemoteWorker } from '../base/remote.ts';
import { createScope, type Scope } from '../base/scope.ts';
import { visible } from '../base/texts.ts';
import { createCopies } from '../page/copies.ts';
import { createDock } from '../page/dock.ts';
import type { Net } from '../page/download.ts';
import { type Page, rowsOf } from '../page/page.ts';
import type { Recent } from '../page/recent.ts';
import { createWorkbench } from '../page/workbench.ts';
import { createTheme } from '../parts/theme.ts';
import { createFrameNotes } from '../timeline/canvas/frames.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { createBrowserMemory } from '../trace/file_memory.ts';
import { PAGE_COMMANDS } from './commands/page_commands.ts';
import { FEATURES } from './features.ts';
import { chooseFile } from './files.ts';
import { createPageHistory } from './history.ts';

/** What the page is made of that the browser provides. */
interface Provided {
  /** Starts a worker for a trace. */
  readonly spawn: () => RemoteWorker;
  /** Starts a worker for the records of a trace. */
  readonly spawnRecords: () => RemoteWorker;
  readonly net: Net;
  /** Where choices are kept; null without storage. */
  readonly storage: Storage | null;
  readonly recent: Recent;
}

/** The page without a trace. It lives as long as the window. */
export function createPage({ spawn, spawnRecords, net, storage, recent }: Provided): Page {
  const memory = createBrowserMemory(storage);
  const workbench = createWorkbench(spawn, spawnRecords, net, memory, recent);
  return {
    workbench,
    theme: createTheme(),
    dock: createDock(window),
    features: FEATURES,
    noteFrame: createFrameNotes(),
    memory,
    recent,
    copies: createCopies(storage),
    history: createPageHistory(window),
    awaited: signal(null),
    commands: [...PAGE_COMMANDS, ...FEATURES.flatMap(({ commands }) => commands ?? [])],
    chooseFile: () => void chooseFile(workbench, recent, 'open'),
    chooseOther: () => void chooseFile(workbench, recent, 'compare'),
    surface: signal(null),
    dialog: signal(null),
    search: { mode: signal('all'), isAsked: signal(false), early: signal('') },
    news: signal([]),
  };
}

/** Follows links, and keeps the view in the address. What does either is loaded when it is needed. */
function startAddress(page: Page, scope: Scope): void {
  const { bench } = page.workbench;
  let followsLinks = false;
  const followLinks = () => {
    if (followsLinks || !location.hash.includes('unspool=')) return;
    followsLinks = true;
    // By the time that it is loaded, the history may be elsewhere.
    const { hash } = location;
    const { state } = history;
    void import('../page/address.ts').then(({ followAddress }) => scope.add(followAddress(page, hash, state)));
  };
  scope.listen(window, 'hashchange', () => {
    // The page itself writes the others.
    if (history.state === null) followLinks();
  });
  let keepsAddress = false;
  const keep = () => void import('./live_address.ts').then(({ keepAddress }) => scope.add(keepAddress(page)));
  const stop = effect(() => {
    const desk = bench.value;
    if (keepsAddress || desk.at !== 'open' || desk.open.trace.status.value.at !== 'ready') return;
    keepsAddress = true;
    scope.add(whenIdle(keep));
  });
  scope.add(stop);
  followLinks();
}

/**
 * Keeps the theme, the state, the title and the address of the document those of the page, and answers messages. Returns what ends
 * that.
 */
export function startPage(page: Page): () => void {
  const { workbench, theme, memory, dock } = page;
  /** The traces that have been in front. */
  const seenTraces = new WeakSet<OpenTrace>();
  const scope = createScope();
  scope.listen(window, 'beforeunload', (event) => {
    // What took long to read is not lost by a slip of the hand.
    if (workbench.isCostly()) event.preventDefault();
  });
  scope.listen<StorageEvent>(window, 'storage', ({ key }) => memory.hear(key));
  scope.listen<MessageEvent>(window, 'message', async (event) => {
    const { hearMessage } = await import('./messages.ts');
    hearMessage(event, workbench, location.origin);
  });
  for (const end of [
    effect(() => {
      document.documentElement.dataset['theme'] = theme.theme.value;
    }),
    effect(() => {
      document.body.dataset['state'] = workbench.state.value;
    }),
    effect(() => {
      const bench = workbench.bench.value;
      const info = bench.at === 'open' ? bench.open.trace.info.value : null;
      if (bench.at !== 'open' || !info || seenTraces.has(bench.open)) return;
      seenTraces.add(bench.open);
      // What is made for one trace, such as a query, is empty in the next one.
      const { [info.format]: front, ...rest } = dock.front.peek();
      const panel = rowsOf(page, 'panels').find(({ id }) => id === front);
      if (panel?.isMore?.(bench.open)) dock.front.value = rest;
    }),
    effect(() => {
      const bench = workbench.bench.value;
      document.title =
        bench.at === 'open'
          ? `${visible(shortened(bench.open.trace.entry.value ?? bench.open.trace.name))} – Unspool`
          : 'Unspool';
    }),
  ]) {
    scope.add(end);
  }
  startAddress(page, scope);
  return scope.dispose;
}
