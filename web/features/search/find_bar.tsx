import { formatCount, formatPercent, plural } from '../../base/format.ts';
import { bringToFront, type Dock, HITS } from '../../page/dock.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { ExpressionField, Wrong } from '../../timeline/widgets/expression_field.tsx';
import type { Find } from '../../trace/find.ts';
import { FIND_ID } from './commands.ts';
import './find.css';

/** The field for an expression, above the timeline, with the number of hits and the way from one to the next. */
export function FindBar({ open, dock }: { open: OpenTrace; dock: Dock }) {
  const { find } = open;
  if (!find.shown.value) return null;
  const close = () => {
    find.shown.value = false;
    find.clear();
  };
  const list = () => bringToFront(dock, open.trace.info.peek()?.format, HITS);
  const stop = () => {
    find.stop();
    // The button goes away, and what follows is another expression.
    document.getElementById(FIND_ID)?.focus();
  };
  const again = () => {
    find.again();
    document.getElementById(FIND_ID)?.focus();
  };
  const state = find.state.value;
  const count = find.count.value;
  return (
    <search class="find" aria-label="Find">
      <div class="find-row row">
        <ExpressionField
          open={open}
          id={FIND_ID}
          label="Find slices and records"
          placeholder="Name, or a term such as name:main"
          text={find.text}
          wrong={state.at === 'wrong'}
          autofocus
          onEnter={(back) => void find.step(back ? -1 : 1)}
          onEscape={close}
        />
        <span class="find-count rigid small muted" role="status">
          {countText(find)}
        </span>
        <button
          type="button"
          class="plain icon"
          aria-label="Previous hit"
          title="Previous hit (Shift+Enter)"
          disabled={count === 0}
          onClick={() => void find.step(-1)}
        >
          <Arrow d="M1 7l4-4 4 4" />
        </button>
        <button
          type="button"
          class="plain icon"
          aria-label="Next hit"
          title="Next hit (Enter)"
          disabled={count === 0}
          onClick={() => void find.step(1)}
        >
          <Arrow d="M1 3l4 4 4-4" />
        </button>
        {/* With keys they are two elements: a click that began on one never ends on the other. */}
        {state.at === 'searching' ? (
          <button key="stop" type="button" onClick={stop}>
            Stop
          </button>
        ) : state.at === 'done' && state.stopped && state.failure === null ? (
          <button key="again" type="button" onClick={again} title="Search again, to the end">
            Search all
          </button>
        ) : null}
        {state.at !== 'searching' && (
          <button key="list" type="button" disabled={count === 0} onClick={list} title="List all hits">
            List
          </button>
        )}
        <button type="button" class="plain icon" aria-label="Close" title="Close (Escape)" onClick={close}>
          ×
        </button>
      </div>
      {state.at === 'wrong' && <Wrong text={find.asked.value} wrong={state.wrong} />}
      {state.at === 'done' && state.failure !== null && (
        <p class="expression-note small" role="alert">
          {state.failure}
        </p>
      )}
    </search>
  );
}

/** How many hits there are, and how far the search is. */
function countText({ state, count, current, asked }: Find): string {
  const now = state.value;
  const hits = `${formatCount(count.value)} ${plural(count.value, 'hit')}`;
  switch (now.at) {
    case 'idle':
      return '';
    case 'waiting':
      return 'Waiting for the file…';
    case 'wrong':
      return '';
    case 'searching':
      return `${hits} · ${now.share === null ? 'searching…' : formatPercent(now.share, 1)}`;
    case 'done': {
      if (asked.value === '') return '';
      const beyond = now.beyond > 0 ? ` + ${formatCount(now.beyond)} not listed` : '';
      const stopped = now.stopped ? ' · stopped' : '';
      const place = current.value >= 0 ? `${formatCount(current.value + 1)} of ${formatCount(count.value)}` : hits;
      return `${place}${beyond}${stopped}`;
    }
  }
}

function Arrow({ d }: { d: string }) {
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
      <path d={d} fill="none" stroke="currentColor" stroke-width="1.5" />
    </svg>
  );
}
