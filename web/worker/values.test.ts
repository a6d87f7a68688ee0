import { expect, it } from 'vitest';
import { roomForValues } from './values.ts';

it('keeps values as far as they fit beside the trace', () => {
  expect(roomForValues(0)).toBe(768 << 20);
  expect(roomForValues(1_500_000_000)).toBe(500_000_000);
  expect(roomForValues(3_000_000_000)).toBe(64 << 20);
});
