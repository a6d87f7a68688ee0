import { shortened } from '../../base/format.ts';
import type { Companion, Trace } from '../../model/trace.ts';
import './companion_facts.css';

/** What became of each file that adds to the trace. */
export function CompanionFacts({ trace }: { trace: Trace }) {
  const companions = trace.companions.value;
  if (companions.length === 0) return null;
  return (
    <ul class="companion-facts">
      {companions.map((companion) => (
        <li key={companion.id}>
          <b>{shortened(companion.name)}</b>
          <p class={companion.attachment?.wrong ? 'remark' : 'muted'}>{companion.attachment?.sentence ?? 'Reading…'}</p>
          <Choice companion={companion} assign={(object) => trace.assign(companion.id, object)} />
        </li>
      ))}
    </ul>
  );
}

/** Which object of the log a binary names. */
function Choice({ companion, assign }: { companion: Companion; assign: (object: number | null) => void }) {
  const choice = companion.attachment?.choice;
  if (!choice) return null;
  const { object, objects } = choice;
  const offered = object === null || objects.includes(object) ? objects : [...objects, object];
  return (
    <label>
      Names the functions of{' '}
      <select
        value={object === null ? '' : String(object)}
        onChange={({ currentTarget: { value } }) => assign(value === '' ? null : Number(value))}
      >
        {object === null && <option value="">choose…</option>}
        {offered.map((it) => (
          <option key={it} value={String(it)}>
            {it === 0 ? 'the program' : `library ${it}`}
          </option>
        ))}
      </select>
    </label>
  );
}
