import { effect, untracked } from '@preact/signals';
import { follow, type Link } from '../page/link.ts';
import type { Page } from '../page/page.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { toTick } from '../trace/view.ts';
import { type EmbeddedView, readView } from './embedded_view.ts';
import { type Sender, senderOf } from './senders.ts';

/**
 * Serves the pages that have sent traces: they may move the view of what they have sent and close it, and hear what happens to it.
 * No other page is: a trace that the user opened is private. Lives as long as the page. `move` shows a view of a trace.
 */
export function serveEmbedders(
  { workbench, dock }: Page,
  move: (view: EmbeddedView, open: OpenTrace) => void = (view, open) => void follow(linkTo(view), open, dock),
): void {
  const owner = (open: OpenTrace): Sender | null => senderOf(open.file);
  const tell = ({ source, origin }: Sender, message: object) => source.postMessage(message, { targetOrigin: origin });
  /** The trace of another page, which may be compared with one of the user, or else the open one. */
  const shown = (): OpenTrace | null => {
    const bench = workbench.bench.value;
    if (bench.at !== 'open') return null;
    const pair = bench.open.pair.value;
    return (pair && [pair.a, pair.b].find(owner)) ?? bench.open;
  };
  /** The sender of the trace on the screen, which is notified when it is gone. */
  let last: { readonly to: Sender; readonly name: string } | null = null;
  /** Traces whose outcome was sent: read, or failed. What failed was never there, so its end is not sent. */
  const ended = new WeakMap<OpenTrace, 'read' | 'failed'>();
  /** The newest view of each trace, until the trace is read and the page has time. */
  const waiting = new WeakMap<OpenTrace, EmbeddedView>();
  const showNewest = (open: OpenTrace) => {
    const view = waiting.get(open);
    waiting.delete(open);
    if (view) move(view, open);
  };

  effect(() => {
    const open = shown();
    const to = open && owner(open);
    if (last && (!open || to !== last.to)) tell(last.to, { type: 'unspool:closed', name: last.name });
    last = null;
    if (!open || !to) return;
    const { name } = open.trace;
    const status = open.trace.status.value;
    if (status.at === 'failed' && !ended.has(open)) {
      ended.set(open, 'failed');
      tell(to, { type: 'unspool:failed', name, sentence: status.error.sentence });
    }
    // The status of a trace can change again after that.
    if (ended.get(open) === 'failed') return;
    last = { to, name };
    if (ended.has(open) || status.at !== 'ready' || !open.timeline.view.value) return;
    ended.set(open, 'read');
    untracked(() => {
      const info = open.trace.info.peek();
      const { extent } = open.trace.progress.peek();
      tell(to, {
        type: 'unspool:opened',
        name,
        format: info?.format,
        title: info?.title,
        from: extent?.from,
        to: extent?.to,
      });
      showNewest(open);
    });
  });
  effect(() => {
    const open = shown();
    const to = open && owner(open);
    if (!open || !to || open.trace.status.value.at !== 'ready') return;
    const { timeline, statistics, selection, trace } = open;
    const view = timeline.view.value;
    if (!view) return;
    const range = statistics.range.value;
    const selected = selection.selected.value;
    const message = {
      type: 'unspool:viewed',
      view: { from: toTick(view, 0), to: toTick(view, timeline.size.value.width) },
      range: range && { from: range.from, to: range.to },
      selected: selected && {
        from: selected.start,
        to: selected.end,
        track: selected.track,
        name: trace.names.of(selected.name),
      },
    };
    // A drag has a view for each frame: the one that stays is sent.
    const timer = setTimeout(() => tell(to, message), 200);
    return () => clearTimeout(timer);
  });
  window.addEventListener('message', ({ data, source, origin }) => {
    const open = untracked(shown);
    if (typeof data !== 'object' || data === null || !open) return;
    const sender = owner(open);
    // A window may show a page of another origin by now.
    if (!sender || sender.source !== source || sender.origin !== origin) return;
    const { type } = data as { type?: unknown };
    const pair = open.pair.peek();
    if (type === 'unspool:close') {
      if (pair) pair.close(open);
      else workbench.close();
    }
    if (type !== 'unspool:view') return;
    // Of views that come faster than they can be shown, the newest counts.
    const isDue = waiting.has(open);
    waiting.set(open, readView(data));
    if (open.trace.status.peek().at === 'ready' && !isDue)
      setTimeout(() => untracked(shown) === open && showNewest(open));
  });
  const other = window.parent !== window ? window.parent : (window.opener as Window | null);
  // The other page only learns that this one is there.
  other?.postMessage({ type: 'unspool:ready', version: 1 }, '*');
}

function linkTo(view: EmbeddedView): Link {
  const lists = { functions: '', events: '', values: null, callPaths: { changes: [], flame: null } };
  const left = {
    highlight: '',
    companions: [],
    other: null,
    top: null,
    tracks: null,
    notes: [],
    filter: '',
    thread: null,
    calls: '',
    ...lists,
  };
  return { file: { name: '', size: null, head: '' }, ...left, ...view };
}
