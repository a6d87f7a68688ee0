import type { Field } from '../../base/protocol.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { KeepButton } from '../../timeline/widgets/keep.tsx';
import { CUSTOM, FORMS, type Form, typeOf, UNKNOWN } from '../../trace/event_types.ts';
import { eventsKey } from '../../trace/lanes.ts';
import './event_type.css';

/** What the user says about the type of an event. Logs have neither names of types nor the layout of payloads. */
export function EventTypeChoice({ fields, open }: { fields: readonly Field[]; open: OpenTrace }) {
  const { derived, eventTypes: choices } = open;
  const type = typeOf(fields);
  if (type === null) return null;
  const { name, form } = choices.types.value[type] ?? UNKNOWN;
  const key = eventsKey(type);
  return (
    <div class="event-type wrap">
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
      <KeepButton
        keeping={derived.keeping.value.get(key)}
        reading={open.trace.status.value.at === 'loading'}
        title={`Show all ${type === CUSTOM ? 'custom events' : 'events of this type'} on one track`}
        onClick={() => derived.keepEvents(type)}
        stop={() => derived.stop(key)}
      />
    </div>
  );
}
