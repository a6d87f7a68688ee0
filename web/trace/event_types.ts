import { type ReadonlySignal, signal } from '@preact/signals';
import type { Field } from '../base/protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import type { FileMemory } from './file_memory.ts';
import type { Names } from './names.ts';

/** How the payload of an event can be read, with the words of the interface. Numbers are little-endian. */
export const FORMS = {
  bytes: 'bytes',
  text: 'text',
  u32: '32-bit integers',
  u64: '64-bit integers',
  f32: '32-bit floating point',
  f64: '64-bit floating point',
} as const;
export type Form = keyof typeof FORMS;

/** What the user says about the events of a type. */
export interface EventType {
  /** Empty without a name. */
  readonly name: string;
  readonly form: Form;
}

/** By type: its number, or {@link CUSTOM}. */
export type EventTypes = Readonly<Record<string, EventType>>;

/** The type of events that have no number. */
export const CUSTOM = 'custom';
/** What is assumed of a type: logs have neither names of types nor the layout of payloads. */
export const UNKNOWN: EventType = { name: '', form: 'bytes' };

/** Longest name of a type. */
const LONGEST = 100;
/** Most types of a file of which something is remembered. */
const MOST = 1000;

/** Names and forms of the events of one file, which are remembered. */
export interface EventTypeChoices {
  readonly types: ReadonlySignal<EventTypes>;
  /** Changes what is said about a type. */
  set(type: string, choice: Partial<EventType>): void;
  dispose: Dispose;
}

/** What was said about the types of a file the last time. The names show in `names`. */
export function createEventTypes(
  memory: Pick<FileMemory, 'parts' | 'put'>,
  names: Pick<Names, 'rewrite'>,
): EventTypeChoices {
  const scope = createScope();
  const types = signal<EventTypes>({});
  scope.add(
    watch([memory.parts], () => {
      const stored = readTypes(memory.parts.peek()?.events);
      if (JSON.stringify(stored) !== JSON.stringify(types.peek())) types.value = stored;
    }),
  );
  scope.add(watch([types], () => names.rewrite((text) => withTypeName(text, types.peek()))));
  return {
    types,
    set: (type, choice) => {
      const next = { ...UNKNOWN, ...types.peek()[type], ...choice };
      const named = { ...next, name: next.name.trim().slice(0, LONGEST) };
      const others = Object.entries(types.peek()).filter(([key]) => key !== type);
      const isKnown = named.name !== '' || named.form !== 'bytes';
      types.value = Object.fromEntries(isKnown ? [...others, [type, named]] : others);
      memory.put('events', Object.keys(types.peek()).length > 0 ? types.peek() : undefined);
    },
    dispose: scope.dispose,
  };
}

/** What a part of the memory says. What cannot be read is left out. */
function readTypes(part: unknown): EventTypes {
  if (typeof part !== 'object' || part === null) return {};
  const read = ([type, stored]: [string, unknown]): [string, EventType][] => {
    if (typeof stored !== 'object' || stored === null) return [];
    const { name, form } = stored as { readonly name?: unknown; readonly form?: unknown };
    const isForm = typeof form === 'string' && Object.hasOwn(FORMS, form);
    if (typeof name !== 'string' || !isForm) return [];
    return [[type, { name: name.slice(0, LONGEST), form: form as Form }]];
  };
  return Object.fromEntries(Object.entries(part).slice(0, MOST).flatMap(read));
}

/** The name of an event with that of its type: `9: payload` and `typed event 9` begin with the number of the type. */
function withTypeName(text: string, types: EventTypes): string {
  const [, type, rest] = /^(\d+)(: .*)$/s.exec(text) ?? /^typed event (\d+)()$/.exec(text) ?? [];
  const name = type === undefined ? '' : (types[type]?.name ?? '');
  return name === '' ? text : `${name}${rest ?? ''}`;
}

/** The type of the event with these fields, or null if they are not those of an event. */
export function typeOf(fields: readonly Field[]): string | null {
  const value = (...names: string[]) => fields.find(({ name }) => names.includes(name))?.value;
  if (value('Payload', 'data')?.t !== 'bytes') return null;
  const type = value('Event type', 'type');
  return type?.t === 'id' ? String(type.v) : CUSTOM;
}
