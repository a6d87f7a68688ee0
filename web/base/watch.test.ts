import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { watch } from './watch.ts';

it('runs at once and after each change of a listed signal, until disposed', () => {
  const listed = signal(1);
  const other = signal(10);
  const seen: number[] = [];
  const dispose = watch([listed], () => {
    seen.push(listed.value + other.value);
  });
  listed.value = 2;
  other.value = 20;
  listed.value = 3;
  dispose();
  listed.value = 4;
  expect(seen).toEqual([11, 12, 23]);
});

it('undoes a run before the next one and on disposal', () => {
  const listed = signal(1);
  const log: string[] = [];
  const dispose = watch([listed], () => {
    const value = listed.value;
    log.push(`run ${value}`);
    return () => log.push(`undo ${value}`);
  });
  listed.value = 2;
  dispose();
  expect(log).toEqual(['run 1', 'undo 1', 'run 2', 'undo 2']);
});
