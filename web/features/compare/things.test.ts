import { expect, it } from 'vitest';
import type { Finding } from '../../trace/findings.ts';
import { type Resources, thingsOf } from './things.ts';

it('has the titles of kinds of findings, and the first call of each', () => {
  const finding = (kind: string, positions: number[]): Finding => ({
    kind,
    sentence: 'texture 3 is bound already',
    count: 5,
    cost: { amount: 5, unit: 'call' },
    positions: Float64Array.from(positions),
  });
  const resources = { columns: { kind: ['buffer'], leaked: [] }, held: { key: ['x'] } } as unknown as Resources;
  const kinds = [{ id: 'bind', title: 'Redundant binds', says: '' }];
  const of = thingsOf(resources, [finding('bind', [7, 9]), finding('other', [])], kinds);
  expect(of.findings).toEqual({
    kind: ['Redundant binds', 'other'],
    sentence: ['texture 3 is bound already', 'texture 3 is bound already'],
    count: Float64Array.of(5, 5),
    first: Float64Array.of(7, -1),
  });
  expect(of.resources).toMatchObject({ kind: ['buffer'] });
  expect(of.held).toEqual({ key: ['x'] });
});
