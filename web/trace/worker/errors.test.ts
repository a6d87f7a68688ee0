import { expect, it } from 'vitest';
import { asTraceError, isTrap, notLoaded } from './errors.ts';

it('tells a trap or a defect from an error of the engine', () => {
  // The engine reports misuse as `crashed`, and is intact.
  expect(isTrap(notLoaded('A part'))).toBe(false);
  expect(isTrap(new DOMException('gone', 'NotReadableError'))).toBe(false);
  expect(isTrap('The file cannot be read any more.')).toBe(false);
  expect(isTrap(new WebAssembly.RuntimeError('unreachable'))).toBe(true);
  expect(isTrap(new RangeError('Out of memory'))).toBe(true);
});

it('makes a sentence of anything thrown', () => {
  expect(asTraceError(new DOMException('gone', 'NotReadableError')).kind).toBe('unreadable');
  for (const message of ['Out of memory', 'Array buffer allocation failed', 'Invalid typed array length: 9']) {
    expect(asTraceError(new RangeError(message)).kind).toBe('memory');
  }
  expect(asTraceError(new WebAssembly.RuntimeError('memory access out of bounds')).kind).toBe('crashed');
  expect(asTraceError(new RangeError('Maximum call stack size exceeded')).kind).toBe('crashed');
  expect(asTraceError('why').sentence).toContain('(why)');
});
