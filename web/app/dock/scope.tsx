import { shortened } from '../../base/format.ts';
import { Lazy } from '../../parts/lazy.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { allName } from '../../trace/statistics.ts';

const loadPicker = async () => (await import('../../parts/picker.tsx')).Picker;

/** Most tracks in a plain menu. A longer one is searched in. */
const FEW = 40;

/** Says that the panels are about the range only. Nothing without a range, which the ruler has. */
export function RangeMark({ open: { statistics } }: { open: OpenTrace }) {
  if (!statistics.range.value) return null;
  const clear = () => {
    statistics.range.value = null;
  };
  return (
    <span class="range-mark small">
      In the range
      <button type="button" class="plain link" title="Clear range (Escape)" onClick={clear}>
        Show whole trace
      </button>
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
  if (listed.length > FEW) {
    return <Lazy load={loadPicker} props={{ label: 'Threads', choices: listed, chosen: whose, choose }} />;
  }
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
