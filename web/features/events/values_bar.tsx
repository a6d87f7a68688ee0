import { formatCount, formatCounted, formatPercent, plural } from '../../base/format.ts';
import { bringToFront, type Dock, HITS } from '../../page/dock.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { ExpressionField } from '../../timeline/widgets/expression_field.tsx';
import { perTrace } from '../../trace/per_trace.ts';
import { valuesCompletions } from '../../trace/values_completion.ts';
import { createValuesFilter, type ValuesFilter } from './values_filter.ts';

const filterOf = perTrace(({ trace, find, events }: OpenTrace) => createValuesFilter(trace, find, events));

/** The field of Points for queries about values. Its query and its hits last as long as the trace. */
export function ValuesBar({ open, dock }: { open: OpenTrace; dock: Dock }) {
  const filter = filterOf(open);
  const { find, trace } = open;
  const { text, known } = filter;
  const isAsked = filter.isAsked.value;
  const state = find.state.value;
  const isWrong = isAsked && state.at === 'wrong';
  const list = () => bringToFront(dock, trace.info.peek()?.format, HITS);
  return (
    <>
      <ExpressionField
        open={open}
        id="events-values"
        label="Find points by values"
        placeholder={placeholderOf(filter)}
        text={text}
        wrong={isWrong}
        complete={(typed, caret) => valuesCompletions(typed, caret, known.value)}
        onEnter={filter.ask}
        onEscape={() => {
          text.value = '';
        }}
      />
      <span class="muted" role="status">
        {isAsked ? progress(open) : ''}
      </span>
      {isAsked && state.at === 'searching' && (
        <button type="button" onClick={find.stop}>
          Stop
        </button>
      )}
      {isAsked && state.at === 'done' && find.count.value > 0 && (
        <button type="button" onClick={list} title="List the hits with the values of the free variables">
          List hits
        </button>
      )}
    </>
  );
}

function placeholderOf({ known }: ValuesFilter): string {
  const [first = 'i', second = 'n'] =
    known.value?.variables.filter((name) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) ?? [];
  return `Values, such as ${first} > ${second}`;
}

/** How many points match, and how far the search is. */
function progress({ find, events }: OpenTrace): string {
  const state = find.state.value;
  const count = find.count.value;
  switch (state.at) {
    case 'waiting':
      return 'Waiting for the file…';
    case 'searching':
      return `${formatCounted(count, 'point')} · ${state.share === null ? 'searching…' : formatPercent(state.share, 1)}`;
    case 'done': {
      if (state.reason !== undefined) return state.reason;
      const beyond = state.beyond > 0 ? ` + ${formatCount(state.beyond)} not listed` : '';
      const all = count > 0 && !events.byValues.value ? `: too many to narrow the list` : '';
      return `${formatCount(count)} ${plural(count, 'point')} found${beyond}${state.stopped ? ' · stopped' : ''}${all}`;
    }
    default:
      return '';
  }
}
