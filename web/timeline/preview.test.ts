import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Details, Item } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { createNames } from '../trace/names.ts';
import type { Pointed } from '../trace/pointed.ts';
import { createPreview } from './preview.ts';

const pointed = (index: number): Pointed => ({
  item: { kind: 'slice', track: 0, depth: 0, index },
  track: 0,
  depth: 0,
  name: 0,
  start: ticks(0n),
  end: ticks(1n),
  flags: 0,
  many: 1,
  reading: null,
});

function trace() {
  const asked: number[] = [];
  const details = async (item: Item) => {
    asked.push(item.index);
    return { details: { item, title: `call ${item.index}` } as Details, error: null };
  };
  return { asked, details, names: createNames() };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the preview', () => {
  it('requests details only where the pointer rests', async () => {
    const hovered = signal<Pointed | null>(null);
    const from = trace();
    const preview = createPreview(from, hovered);
    for (let i = 0; i < 10; i += 1) {
      hovered.value = pointed(i);
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(from.asked).toEqual([9]);
    expect(preview.details.value?.title).toBe('call 9');
    preview.dispose();
  });
  it('caches a limited number of details', async () => {
    const hovered = signal<Pointed | null>(null);
    const from = trace();
    const preview = createPreview(from, hovered);
    const rest = async (i: number) => {
      hovered.value = pointed(i);
      await vi.advanceTimersByTimeAsync(100);
    };
    for (let i = 0; i < 64; i += 1) await rest(i);
    hovered.value = pointed(0);
    expect(preview.details.value?.title).toBe('call 0');
    await rest(64);
    await rest(0);
    expect(from.asked).toHaveLength(65);
    await rest(1);
    expect(from.asked).toHaveLength(66);
    preview.dispose();
  });
  it('drops details that arrive after the pointer has moved on', async () => {
    const hovered = signal<Pointed | null>(null);
    let answer: (details: Details) => void = () => undefined;
    const details = () =>
      new Promise<{ details: Details; error: null }>((resolve) => {
        answer = (told) => resolve({ details: told, error: null });
      });
    const preview = createPreview({ details, names: createNames() }, hovered);
    hovered.value = pointed(1);
    await vi.advanceTimersByTimeAsync(100);
    hovered.value = null;
    answer({ title: 'late' } as Details);
    await vi.advanceTimersByTimeAsync(0);
    expect(preview.details.value).toBeNull();
    preview.dispose();
  });
});
