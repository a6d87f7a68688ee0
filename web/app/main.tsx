import { whenIdle } from '../base/idle.ts';
import 'virtual:theme.css';
import './style.css';

import { effect } from '@preact/signals';
import { render } from 'preact';
import { isRanged } from '../base/ranged.ts';
import { limitConnections, startWorker } from '../base/workers.ts';
import type { Net } from '../page/download.ts';
import { createRecent, recentInBrowser } from '../page/recent.ts';
import recordWorker from '../trace/worker/records.ts?worker&url';
import traceWorker from '../trace/worker/worker.ts?worker&url';
import { App } from './app.tsx';
import { isTooOld, NEEDED } from './browsers.ts';
import { loadTraceView, prepareTraceView } from './load.ts';
import { createPage, startPage } from './page.ts';

const addresses = new URLSearchParams(location.search);
const url = addresses.get('url');
const other = addresses.get('with');
/** A file that adds to the trace, such as its program. */
const program = addresses.get('names');
/** The token of `unspool open`, which has served the page. */
const served = addresses.get('open');
// Before the first worker, which inherits the policy.
limitConnections(url, other, program);

// Everything here lives as long as the page, so nothing is disposed.
const net: Net = {
  base: location.href,
  get online() {
    return navigator.onLine;
  },
  fetch: (url, init) => fetch(url, init),
};
const recent = createRecent(recentInBrowser(() => globalThis.indexedDB));
const page = createPage({
  spawn: () => startWorker(traceWorker),
  spawnRecords: () => startWorker(recordWorker),
  net,
  storage: storageOrNull(),
  recent: {
    ...recent,
    again: async (file) =>
      isRanged(file) && file.ranges.grows
        ? (await import('../page/served_files.ts')).servedNow(file)
        : recent.again(file),
  },
});
const { workbench } = page;
startPage(page);

effect(() => {
  const bench = workbench.bench.value;
  // A pair is noted by what shows it.
  if (bench.at !== 'open' || workbench.pair.value || bench.open.trace.status.value.at !== 'ready') return;
  const { name, size, info, companions } = bench.open.trace;
  const added = companions.value.map(({ file }) => file);
  void page.recent.note(bench.open.file, { name, size, format: info.peek()?.title ?? '' }, added);
});
effect(() => {
  const bench = workbench.bench.value;
  if (bench.at !== 'open' || bench.open.trace.status.value.at !== 'ready' || savesData()) return;
  // The first click on a call will follow. A trace that was closed by then starts nothing.
  whenIdle(bench.open.trace.records.warm);
});

render(<App page={page} />, document.getElementById('app')!);

if (isTooOld()) workbench.warn(NEEDED);

// Embedded in a page, or opened by one.
if (window.parent !== window || window.opener) {
  void import('./embedding.ts').then(({ serveEmbedders }) => serveEmbedders(page));
}
if (url) {
  // Beside the download.
  loadTraceView().catch(() => undefined);
  void workbench.openUrl(url).then(async () => {
    if (other) await workbench.compareUrl(other);
    if (program) await (await import('../page/added_url.ts')).addUrl(program, workbench, net);
  });
} else if (served) {
  // Beside what asks for the files.
  workbench.warm();
  void import('./served/served.ts').then(({ openServed }) => openServed(served, workbench));
} else if (!savesData()) {
  // A file will follow: by then its worker and the view have been downloaded and compiled, and the back end is known.
  whenIdle(() => {
    workbench.warm();
    void prepareTraceView();
  });
}
whenIdle(() => void import('./offline/offline.ts').then(({ afterStart }) => afterStart(page, savesData())));

/** The storage of the browser. Private windows may deny it. */
function storageOrNull(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

/** Whether the user asked the browser to transfer little. */
function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData ?? false;
}
