import type { Field } from '../../base/protocol.ts';
import { TextField } from '../../parts/text_field.tsx';
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
        <label for="event-type-name">
          Name of type {type}{' '}
          <TextField
            id="event-type-name"
            text={name}
            of={type}
            placeholder="unnamed"
            size={14}
            change={(text) => choices.set(type, { name: text })}
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
