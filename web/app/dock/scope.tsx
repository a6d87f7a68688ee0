import { formatLength, formatRange, shortened } from '../../base/format.ts';
import { Picker } from '../../parts/picker.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { allName } from '../../trace/statistics.ts';

/** Most tracks in a plain menu. A longer one is searched in. */
const FEW = 40;

/** Most earlier ranges in sight. The widest of them leads to those before. */
const MOST_CRUMBS = 3;

/** The range of the panels, after the wider ones that it was narrowed from. A click on the whole trace clears it. */
export function Breadcrumb({ open }: { open: OpenTrace }) {
  const { trace, statistics, timeline } = open;
  const range = statistics.range.value;
  const info = trace.info.value;
  const extent = trace.progress.value.extent;
  if (!range || !info || !extent) return <span class="muted breadcrumb wrap small">Whole trace</span>;
  const trail = statistics.trail.value.slice(-MOST_CRUMBS);
  const takeBack = () => {
    statistics.range.value = null;
  };
  return (
    <nav class="breadcrumb wrap small" aria-label="Range">
      <span>
        <button type="button" class="plain crumb" title="Clear range (Escape)" onClick={takeBack}>
          Whole trace
        </button>
        <Then />
      </span>
      {trail.map((earlier) => (
        <span key={`${earlier.from} ${earlier.to}`}>
          <button
            type="button"
            class="plain crumb"
            title={`Back to ${formatRange(earlier.from, earlier.to, extent.from, info.clock)}`}
            onClick={() => {
              statistics.range.value = earlier;
              timeline.show(earlier);
            }}
          >
            {formatLength(earlier.to - earlier.from, info.clock)}
          </button>
          <Then />
        </span>
      ))}
      <span>
        <button type="button" class="plain link crumb" title="Zoom to range" onClick={() => timeline.show(range)}>
          {formatRange(range.from, range.to, extent.from, info.clock)}
        </button>
        <span class="muted range-size">({formatLength(range.to - range.from, info.clock)})</span>
        <button
          type="button"
          class="plain icon"
          aria-label="Clear range"
          title="Clear range (Escape)"
          onClick={takeBack}
        >
          ×
        </button>
      </span>
    </nav>
  );
}

function Then() {
  return (
    <span class="muted" aria-hidden="true">
      ›
    </span>
  );
}

/** The choice of the tracks that the panels cover. */
export function WhoseChoice({ open }: { open: OpenTrace }) {
  const { statistics } = open;
  const choices = statistics.choices.value;
  const all = statistics.all.value;
  const whose = statistics.whose.value;
  if (choices.length < 2) return null;
  const listed = [{ id: 'all', name: allName(all) }, ...choices.filter(({ id }) => id !== all.only)];
  const choose = (id: number | string) => {
    statistics.whose.value = id === 'all' ? 'all' : Number(id);
  };
  if (listed.length > FEW) return <Picker label="Threads" choices={listed} chosen={whose} choose={choose} />;
  return (
    <select aria-label="Threads" value={String(whose)} onChange={(event) => choose(event.currentTarget.value)}>
      {listed.map(({ id, name }) => (
        <option key={id} value={String(id)}>
          {shortened(name)}
        </option>
      ))}
    </select>
  );
}
