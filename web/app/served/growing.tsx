import { useEffect } from 'preact/hooks';
import { formatCounted } from '../../base/format.ts';
import { createScope } from '../../base/scope.ts';
import { followingOf } from '../../page/following.ts';
import { Popover, PopoverButton } from '../../parts/popover.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { isDatabase } from '../../trace/records.ts';
import './growing.css';

/** In the header: the trace is followed. What was asked before is asked again on request; a database is opened again anyway. */
export function Growing({ open }: { open: OpenTrace }) {
  const { trace } = open;
  const { atEnd, news, stop } = followingOf(open);
  useEffect(() => {
    const scope = createScope();
    scope.listen<KeyboardEvent>(document, 'keydown', (event) => {
      const { target, key } = event;
      const isTaken = event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
      const takesKeys =
        target instanceof Element && target.closest('input, textarea, select, [contenteditable], table');
      if (key !== 'End' || isTaken || takesKeys) return;
      event.preventDefault();
      atEnd.value = true;
    });
    return scope.dispose;
  }, [atEnd]);
  const info = trace.info.value;
  return (
    <PopoverButton
      place="menu-place"
      look="chip growing"
      label="Growing"
      title="The file is followed: what is written to it appears here"
      content={(close) => (
        <Popover class="growing-popover" label="Growing trace">
          <button
            type="button"
            class="toggle"
            aria-pressed={atEnd.value}
            onClick={() => (atEnd.value = !atEnd.peek())}
            title="Keep the end of the trace in view (End)"
          >
            Follow end
          </button>
          {info && !isDatabase(info) && (
            <button
              type="button"
              disabled={news.value === 0}
              onClick={() => {
                close();
                trace.askAgain();
              }}
              title="Ask again for lists, statistics and other panels, which are of an earlier state"
            >
              Update panels
            </button>
          )}
          <button type="button" onClick={stop} title="Read no further">
            Stop following
          </button>
        </Popover>
      )}
    >
      Growing
    </PopoverButton>
  );
}

/** In the bar of the panels: they are of an earlier state of the file. Nothing while they are of the latest one. */
export function News({ open }: { open: OpenTrace }) {
  const { trace } = open;
  const { news } = followingOf(open);
  const info = trace.info.value;
  if (!info || isDatabase(info) || news.value === 0) return null;
  const count = formatCounted(news.value, info.eventNoun ?? 'event');
  return (
    <span class="range-mark small">
      Without the {count} that have come since
      <button type="button" class="plain link" title="Ask again for what the panels show" onClick={trace.askAgain}>
        Update
      </button>
    </span>
  );
}
