import { effect } from '@preact/signals';
import { whenIdle } from '../base/idle.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { clearAddress, writeAddress } from '../page/address.ts';
import { differencesOf } from '../page/differences.ts';
import type { Page } from '../page/page.ts';
import { alignmentOf } from '../timeline/alignment.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { senderOf } from './senders.ts';

/** Milliseconds that a view rests before it is written: more than until it is an entry of the history of its own. */
const REST_MS = 700;
/** Milliseconds between two writes at least: Safari takes 100 in 30 s, of which the history needs some. */
const APART_MS = 1000;
/** Milliseconds after which a view is written although the page has something else to do. */
const PATIENCE_MS = 2000;

/**
 * Keeps the view of the open trace in the address, so that it is there after the page was loaded again. A trace that another page
 * has sent is shown by that page. Until disposed.
 */
export function keepAddress(page: Page): Dispose {
  const { workbench, awaited, dock } = page;
  let changedAt = 0;
  let wroteAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let known = 0;

  const write = () => {
    timer = undefined;
    const now = performance.now();
    const wait = Math.max(changedAt + REST_MS, wroteAt + APART_MS) - now;
    // A drag has a view for each frame: those only set a time.
    if (wait > 0) {
      timer = setTimeout(write, wait);
      return;
    }
    whenIdle(() => {
      const bench = workbench.bench.peek();
      if (bench.at !== 'open' || bench.open.trace.status.peek().at !== 'ready' || awaited.peek()) return;
      wroteAt = performance.now();
      writeAddress(bench.open, page);
    }, PATIENCE_MS);
  };
  const changed = () => {
    changedAt = performance.now();
    if (timer === undefined) timer = setTimeout(write, REST_MS);
  };
  const scope = createScope();
  const stop = effect(() => {
    const bench = workbench.bench.value;
    const pair = bench.at === 'open' ? bench.open.pair.value : null;
    const both = pair ? [pair.a, pair.b] : bench.at === 'open' ? [bench.open] : [];
    const [first] = both;
    if (!first || both.some(({ file }) => senderOf(file))) return;
    // A trace that is not read yet may end the page: the address must not lead to it again.
    if (known !== first.id && !awaited.peek() && first.trace.status.value.at !== 'ready') clearAddress();
    known = first.id;
    if (both.some(({ trace }) => trace.status.value.at !== 'ready')) return;
    for (const open of both) subscribeTo(open);
    if (pair) {
      const { chosen, isLinked } = alignmentOf(pair);
      for (const part of [chosen, isLinked, differencesOf(pair).ignored]) subscribe(part);
    }
    for (const part of [awaited, dock.open, dock.front, dock.calls]) subscribe(part);
    changed();
  });
  // Another entry has the address of its own place, which may have been written before that changed.
  scope.listen(window, 'popstate', changed);
  scope.add(stop);
  scope.add(() => clearTimeout(timer));
  return scope.dispose;
}

/** Makes the running effect depend on what a link has of a trace. */
function subscribeTo({ timeline, selection, statistics, find, events, callPaths, memory }: OpenTrace): void {
  const { choices, filter } = timeline.arrangement;
  for (const part of [
    memory.identity,
    timeline.view,
    timeline.scrollTop,
    timeline.size,
    selection.selected,
    selection.record,
    statistics.range,
    statistics.whose,
    statistics.functionFilter,
    choices,
    filter,
    find.asked,
    events.filter.text,
    events.isByValues,
    events.valuesText,
    callPaths.changes,
    callPaths.mode,
    callPaths.path,
  ]) {
    subscribe(part);
  }
}

/** Makes the running effect depend on a signal: reading the value is what subscribes. */
function subscribe(part: { readonly value: unknown }): unknown {
  return part.value;
}
