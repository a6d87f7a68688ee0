import { signal } from '@preact/signals';
import { act } from 'preact/test-utils';
import { expect, it } from 'vitest';
import { ticks } from '../../base/ticks.ts';
import type { SqlRange } from '../../base/trace_protocol.ts';
import { click, mount } from '../../parts/dom.fixture.ts';
import { Limit } from './limit.tsx';

const of = (from: number, to: number): SqlRange => ({ from: ticks(BigInt(from)), to: ticks(BigInt(to)) });

it('the rows of a query say that they are of the range only, and lead to those of the whole trace', () => {
  const range = signal<SqlRange | null>(null);
  const rows = signal<readonly (SqlRange | null)[]>([null]);
  const log: string[] = [];
  const run = (text: string) => {
    log.push(text);
    rows.value = [range.peek()];
  };
  const host = mount(<Limit sql={{ ranges: rows, text: signal('select 1'), run }} ranges={[range]} />);
  const said = () => host.textContent?.trim() ?? '';
  expect(said()).toBe('');
  act(() => {
    range.value = of(1, 5);
  });
  expect(said()).toBe('· of the whole trace Run for the range');
  click(host.querySelector('button'));
  expect([said(), log]).toEqual(['· limited to the range Show whole trace', ['select 1']]);
  act(() => {
    range.value = of(2, 3);
  });
  expect(said()).toBe('· limited to an earlier range Run for the range');
  act(() => {
    range.value = of(1, 5);
  });
  click(host.querySelector('button'));
  expect([said(), range.value, log.length]).toEqual(['', null, 2]);
});

it('rows of two traces are limited to the ranges of both', () => {
  const [one, two] = [signal<SqlRange | null>(null), signal<SqlRange | null>(of(1, 5))];
  const rows = signal<readonly (SqlRange | null)[]>([null, of(1, 5)]);
  const run = () => {
    rows.value = [one.peek(), two.peek()];
  };
  const host = mount(<Limit sql={{ ranges: rows, text: signal('select 1'), run }} ranges={[one, two]} />);
  const said = () => host.textContent?.trim() ?? '';
  expect(said()).toBe('· limited to the ranges Show whole traces');
  act(() => {
    one.value = of(2, 3);
  });
  expect(said()).toBe('· limited to earlier ranges Run for the ranges');
  click(host.querySelector('button'));
  click(host.querySelector('button'));
  expect([said(), one.value, two.value]).toEqual(['', null, null]);
});
