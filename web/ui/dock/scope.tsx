import { formatCount, formatLength, formatRange } from '../../base/format.ts';
import type { AllTracks } from '../../model/statistics.ts';
import type { OpenTrace } from '../../model/workbench.ts';

/** The range of the panels. A click on the whole trace clears it. */
export function Breadcrumb({ open }: { open: OpenTrace }) {
  const { trace, statistics, timeline } = open;
  const range = statistics.range.value;
  const info = trace.info.value;
  const extent = trace.progress.value.extent;
  if (!range || !info || !extent) return <span class="muted breadcrumb">Whole trace</span>;
  const takeBack = () => {
    statistics.range.value = null;
  };
  return (
    <nav class="breadcrumb" aria-label="Range">
      <button type="button" class="plain crumb" title="Speak of the whole trace again (Escape)" onClick={takeBack}>
        Whole trace
      </button>
      <span class="muted" aria-hidden="true">
        ›
      </span>
      <button type="button" class="plain link crumb" title="Show this range" onClick={() => timeline.show(range)}>
        {formatRange(range.from, range.to, extent.from, info.clock)}
      </button>
      <span class="muted">({formatLength(range.to - range.from, info.clock)})</span>
      <button type="button" class="plain icon" aria-label="Take the range back" onClick={takeBack}>
        ×
      </button>
    </nav>
  );
}

/** The choice of the tracks that the panels cover. */
export function WhoseChoice({ open }: { open: OpenTrace }) {
  const { statistics } = open;
  const choices = statistics.choices.value;
  const all = statistics.all.value;
  const whose = statistics.whose.value;
  if (choices.length < 2) return null;
  return (
    <select
      aria-label="Threads"
      value={String(whose)}
      onChange={(event) => {
        const { value } = event.currentTarget;
        statistics.whose.value = value === 'all' ? 'all' : Number(value);
      }}
    >
      <option value="all">{allName(all)}</option>
      {choices
        .filter(({ id }) => id !== all.only)
        .map(({ id, name }) => (
          <option key={id} value={String(id)}>
            {name}
          </option>
        ))}
    </select>
  );
}

/** The name of all tracks in scope: the name of the only one, or their number. */
export function allName({ count, threads, name }: AllTracks): string {
  return name ?? `All ${formatCount(count)} ${threads ? 'threads' : 'tracks'}`;
}
