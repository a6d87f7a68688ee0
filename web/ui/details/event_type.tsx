import type { Field } from '../../base/protocol.ts';
import { CUSTOM, type EventTypeChoices, FORMS, type Form, typeOf, UNKNOWN } from '../../model/event_types.ts';
import './event_type.css';

/** What the person says about the type of an event. Logs have neither names of types nor the layout of payloads. */
export function EventTypeChoice({ fields, choices }: { fields: readonly Field[]; choices: EventTypeChoices }) {
  const type = typeOf(fields);
  if (type === null) return null;
  const { name, form } = choices.types.value[type] ?? UNKNOWN;
  return (
    <div class="event-type">
      {type !== CUSTOM && (
        <label>
          Name of type {type}{' '}
          <input
            key={`${type} ${name}`}
            defaultValue={name}
            placeholder="unnamed"
            spellcheck={false}
            autocomplete="off"
            size={14}
            onChange={({ currentTarget: { value } }) => choices.set(type, { name: value })}
          />
        </label>
      )}
      <label>
        Payload as{' '}
        <select value={form} onChange={({ currentTarget: { value } }) => choices.set(type, { form: value as Form })}>
          {Object.entries(FORMS).map(([id, words]) => (
            <option key={id} value={id}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
