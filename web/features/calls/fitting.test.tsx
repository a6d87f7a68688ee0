import { expect, it } from 'vitest';
import { fitting } from './functions.tsx';

const TELLING = ['name', 'count', 'total', 'share', 'self', 'min', 'median', 'p90', 'p99', 'max'] as const;
const WIDTHS = { ...Object.fromEntries(TELLING.map((column) => [column, 90])), name: 240, bytes: 90 } as Parameters<
  typeof fitting
>[1];
const columns = (room: number, by: (typeof TELLING)[number] = 'self') => fitting(TELLING, WIDTHS, room, by).shown;

it('names keep their room, and columns of numbers give way to them', () => {
  expect(columns(1100)).toEqual(TELLING);
  expect(columns(974)).not.toContain('p90');
  expect(columns(974)).toContain('min');
  expect(columns(900)).toEqual(['name', 'count', 'total', 'share', 'self', 'median', 'p99', 'max']);
  expect(columns(900, 'min')).toContain('min');
  expect(columns(400)).toContain('median');
});
