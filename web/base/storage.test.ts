import { afterEach, expect, it, vi } from 'vitest';
import { recall, recallValue, remember } from './storage.ts';

afterEach(() => void vi.unstubAllGlobals());

it('returns what was remembered last', () => {
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, text: string) => void items.set(key, text),
  });
  expect([recall('a'), recallValue('a')]).toEqual([null, null]);
  remember('a', '[1]');
  expect([recall('a'), recallValue('a')]).toEqual(['[1]', [1]]);
  remember('a', '[');
  expect([recall('a'), recallValue('a')]).toEqual(['[', null]);
});

it('nothing is remembered where the browser denies storage', () => {
  vi.stubGlobal('localStorage', undefined);
  expect(() => remember('a', 'b')).not.toThrow();
  expect([recall('a'), recallValue('a')]).toEqual([null, null]);
});
