import { useState } from 'preact/hooks';
import type { Companion } from '../../base/companions.ts';
import { shortened } from '../../base/format.ts';
import type { Trace } from '../../trace/trace.ts';
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
          {companion.attachment?.place && (
            <Base
              key={String(companion.attachment.place.base)}
              base={companion.attachment.place.base}
              place={(base) => trace.place(companion.id, base)}
            />
          )}
          <Choice companion={companion} assign={(object) => trace.assign(companion.id, object)} />
        </li>
      ))}
    </ul>
  );
}

/** The address of the first page of a binary, which the user can change. */
function Base({ base, place }: { base: bigint | null; place: (base: bigint | null) => void }) {
  const [wrong, setWrong] = useState(false);
  return (
    <form
      class="base"
      onSubmit={(event) => {
        event.preventDefault();
        const text = String(new FormData(event.currentTarget).get('base') ?? '').trim();
        const given = text === '' ? null : parseBase(text);
        setWrong(given === undefined);
        if (given !== undefined) place(given);
      }}
    >
      <label>
        Base{' '}
        <input
          name="base"
          defaultValue={base === null ? '' : `0x${base.toString(16)}`}
          placeholder="found if left empty"
          spellcheck={false}
          autocomplete="off"
          size={18}
          aria-invalid={wrong}
          title="Address of its first page in the trace, in hexadecimal. Leave empty to find it from the called addresses."
        />
      </label>
      <button type="submit">Set</button>
      {wrong && <span class="remark">Not an address: 0x and up to 16 hexadecimal digits.</span>}
    </form>
  );
}

/** The address that a text is in hexadecimal, with or without `0x`; undefined if it is not one. */
function parseBase(text: string): bigint | undefined {
  const digits = /^(?:0x)?([\da-f]{1,16})$/i.exec(text);
  return digits ? BigInt(`0x${digits[1]}`) : undefined;
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
