import { expect, it } from 'vitest';
import type { Details, Field, Value } from '../../base/protocol.ts';
import type { ResourceColumns, ResourceKind } from '../../base/survey_protocol.ts';
import { ticks } from '../../base/ticks.ts';
import { resourceOf } from './field_links.ts';

const RESOURCES = {
  count: 3,
  kind: ['texture', 'framebuffer', 'texture'],
  name: Float64Array.of(1, 1, 2),
  created: Float64Array.of(10, 11, 12),
  deleted: Float64Array.of(-1, -1, 40),
} as unknown as ResourceColumns;

const int = (v: number): Value & { t: 'int' } => ({ t: 'int', v: BigInt(v), hex: false });
const field = (name: string, value: Value): Field => ({ name, value });

/** glFramebufferTexture2D(target, attachment, textarget, texture, level). */
const details = (call: number, ...values: readonly number[]): Pick<Details, 'fields' | 'start'> => {
  const names = ['target', 'attachment', 'textarget', 'texture', 'level'];
  const tree: Value = { t: 'tree', v: values.map((value, i) => field(names[i]!, int(value))) };
  return { fields: [field('Arguments', tree)], start: ticks(BigInt(call)) };
};
const KINDS: readonly (ResourceKind | '')[] = ['', '', '', 'texture', ''];

it('an argument leads to the resource that it names, by the parameters of the function', () => {
  const of = (name: string, value: number, call = 20) =>
    resourceOf(RESOURCES, details(call, 36160, 36064, 3553, 1, 1), ['Arguments', name], int(value), () => KINDS);
  expect(of('texture', 1)).toEqual({ kind: 'texture', name: 1, call: 20 });
  // The level is 1, too, and there is a framebuffer of that name.
  expect(of('level', 1)).toBe(null);
  expect(of('texture', 9)).toBe(null);
  // Of a list of names.
  const first = resourceOf(RESOURCES, details(20, 0, 0, 0, 0), ['Arguments', 'texture', '0'], int(2), () => KINDS);
  expect(first).toEqual({ kind: 'texture', name: 2, call: 20 });
  // Nothing is known of the function yet.
  expect(resourceOf(RESOURCES, details(20, 0, 0, 0, 1), ['Arguments', 'texture'], int(1), () => null)).toBe(null);
});

it('a result leads to the resource that the call has created', () => {
  const of = (call: number, value: number) =>
    resourceOf(RESOURCES, details(call), ['Return value'], int(value), () => []);
  expect(of(11, 1)).toEqual({ kind: 'framebuffer', name: 1, call: 11 });
  expect([of(11, 2), of(20, 1)]).toEqual([null, null]);
});
