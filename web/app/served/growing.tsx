import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { createScope } from '../../base/scope.ts';
import { followingOf } from '../../page/following.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { isDatabase } from '../../trace/records.ts';
import './growing.css';

/** In the header: the trace is followed. What was asked before is asked again on request; a database is opened again anyway. */
export function Growing({ open }: { open: OpenTrace }) {
  const { trace } = open;
  const { atEnd, stop } = followingOf(open);
  const { events } = trace.progress.value;
  const shown = useSignal(0);
  useSignalEffect(() => {
    if (trace.status.value.at !== 'loading') shown.value = trace.progress.peek().events;
  });
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
    <span class="growing row">
      <span class="chip" title="The file is followed: what is written to it appears here">
        Growing
      </span>
      <button
        type="button"
        class="plain toggle"
        aria-pressed={atEnd.value}
        onClick={() => (atEnd.value = !atEnd.peek())}
        title="Keep the end of the trace in view (End)"
      >
        Follow end
      </button>
      {info && !isDatabase(info) && (
        <button
          type="button"
          class="plain"
          disabled={trace.status.value.at === 'loading' || events === shown.value}
          onClick={trace.askAgain}
          title="Ask again for lists, statistics and other panels, which are of an earlier state"
        >
          Update
        </button>
      )}
      <button type="button" class="plain" onClick={stop} title="Read no further">
        Stop
      </button>
    </span>
  );
}
