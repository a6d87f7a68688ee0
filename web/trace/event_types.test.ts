import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { Field } from '../base/protocol.ts';
import { retyped } from './event_payload.ts';
import { createEventTypes, type EventTypes, type Form, typeOf } from './event_types.ts';
import type { Parts } from './file_memory.ts';
import { createNames } from './names.ts';

const bytes = (...v: number[]): Field => ({
  name: 'Payload',
  value: { t: 'bytes', v: Uint8Array.from(v), length: BigInt(v.length) },
});
const type = (v: bigint): Field => ({ name: 'Event type', value: { t: 'id', v } });
const as = (form: Form, name = ''): EventTypes => ({ 7: { name, form } });

describe('the payload of an event', () => {
  it('is read in the form of its type', () => {
    const of = (form: Form, ...v: number[]) => retyped([type(7n), bytes(...v)], as(form)).slice(1);
    expect(of('u32', 1, 0, 0, 0, 255, 255, 255, 255)).toEqual([
      { name: 'Payload', value: { t: 'list', v: [1n, 0xffff_ffffn].map((n) => ({ t: 'int', v: n })) } },
    ]);
    expect(of('u64', 2, 0, 0, 0, 0, 0, 0, 128)).toEqual([
      { name: 'Payload', value: { t: 'int', v: 0x8000_0000_0000_0002n } },
    ]);
    expect(of('f32', 0, 0, 192, 63)).toEqual([{ name: 'Payload', value: { t: 'float', v: 1.5 } }]);
    expect(of('f64', 0, 0, 0, 0, 0, 0, 248, 191)).toEqual([{ name: 'Payload', value: { t: 'float', v: -1.5 } }]);
    expect(of('text', 104, 105, 0)).toEqual([{ name: 'Payload', value: { t: 'text', v: 'hi' } }]);
    expect(of('bytes', 1)).toEqual([bytes(1)]);
  });

  it('keeps the bytes that do not fill a number', () => {
    const rest = { name: 'Payload, rest', value: { t: 'bytes', v: Uint8Array.of(9), length: 1n } };
    expect(retyped([type(7n), bytes(1, 0, 0, 0, 9)], as('u32')).slice(1)).toEqual([
      { name: 'Payload', value: { t: 'int', v: 1n } },
      rest,
    ]);
    expect(retyped([type(7n), bytes(9)], as('u32')).slice(1)).toEqual([rest]);
  });

  it('belongs to a type, or to custom events', () => {
    expect(typeOf([type(7n), bytes(1)])).toBe('7');
    expect(typeOf([bytes(1)])).toBe('custom');
    expect(typeOf([type(7n)])).toBeNull();
    expect(retyped([type(8n), bytes(1)], as('u32'))).toEqual([type(8n), bytes(1)]);
    const named = { name: 'Event type', value: { t: 'symbol', name: 'alloc', v: { t: 'id', v: 7n } } };
    expect(retyped([type(7n), bytes(1)], as('bytes', 'alloc'))).toEqual([named, bytes(1)]);
  });
});

describe('types of events', () => {
  const memoryOf = (events?: unknown) => {
    const parts = signal<Parts | null>(null);
    const put = (part: keyof Parts, value: unknown) => {
      parts.value = { ...parts.peek(), [part]: value };
    };
    return { parts, put, arrive: () => put('events', events) };
  };

  it('are named, and show in names that come before and after', () => {
    const names = createNames();
    names.add(0, ['7: hello', 'typed event 7', '70: x', 'main'], null);
    const memory = memoryOf();
    const types = createEventTypes(memory, names);
    types.set('7', { name: ' alloc ' });
    expect(names.text).toEqual(['alloc: hello', 'alloc', '70: x', 'main']);
    expect(names.inPlaceOf('7: hello')).toBe('alloc: hello');
    names.add(4, ['7: more'], null);
    expect(names.of(4)).toBe('alloc: more');
    types.set('7', { name: '' });
    expect(names.text).toEqual(['7: hello', 'typed event 7', '70: x', 'main', '7: more']);
    expect(memory.parts.peek()?.events).toBeUndefined();
  });

  it('are remembered, and what cannot be read is left out', () => {
    const memory = memoryOf({
      7: { name: 'alloc', form: 'u32' },
      8: { name: 3, form: 'u32' },
      9: { name: '', form: 'x' },
    });
    const types = createEventTypes(memory, createNames());
    expect(types.types.value).toEqual({});
    memory.arrive();
    expect(types.types.value).toEqual({ 7: { name: 'alloc', form: 'u32' } });
    types.set('custom', { form: 'text' });
    expect(memory.parts.peek()?.events).toEqual({
      7: { name: 'alloc', form: 'u32' },
      custom: { name: '', form: 'text' },
    });
  });
});
