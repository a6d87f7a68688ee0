import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createShortNames, type Named } from './short_names.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A session whose functions are these, in a worker that shortens them in `ms`. */
function started(functions: string[], ms = 0) {
  const session: Named = {
    functionTexts: () => functions.join(' '),
    withFunctionTexts: (short) => ({ ids: new Uint32Array(1), names: { all: short, ends: new Uint32Array(1) } }),
  };
  const told: (string | boolean | null)[][] = [];
  let calls = 0;
  const shortNames = (names: string) => {
    calls += 1;
    vi.advanceTimersByTime(ms);
    const short = names.replace(/\S*::/g, '');
    return short === names ? undefined : short;
  };
  const short = createShortNames(
    (work) => work(session),
    (isOffered, names) => void told.push([isOffered, names?.names.all ?? null]),
    async () => ({ shortNames }),
  );
  return { short, told, calls: () => calls };
}

it('come to a page that wants them', async () => {
  const { short, told, calls } = started(['a::f', 'g']);
  short.changed();
  await vi.runAllTimersAsync();
  short.want(true);
  await vi.runAllTimersAsync();
  short.want(false);
  await vi.runAllTimersAsync();
  short.want(true);
  await vi.runAllTimersAsync();
  expect(told).toEqual([
    [true, null],
    [true, 'f g'],
    [true, null],
    [true, 'f g'],
  ]);
  // The names have not changed.
  expect(calls()).toBe(1);
});

it('are those of the latest names when a page wants them', async () => {
  const functions = ['a::f'];
  const { short, told } = started(functions, 10);
  short.changed();
  await vi.advanceTimersByTimeAsync(0);
  functions.push('a::g');
  short.changed();
  short.want(true);
  await vi.advanceTimersByTimeAsync(0);
  short.want(false);
  expect(told).toEqual([
    [true, null],
    [true, 'f g'],
    [true, null],
  ]);
});

it('need no module before a companion names something', async () => {
  const { short, told } = started(['a::f']);
  short.want(true);
  await vi.runAllTimersAsync();
  expect(told).toEqual([]);
  short.changed();
  await vi.runAllTimersAsync();
  expect(told).toEqual([[true, 'f']]);
});

it('are not offered where names stay as they are', async () => {
  const { short, told } = started(['f', 'g']);
  short.want(true);
  short.changed();
  await vi.runAllTimersAsync();
  expect(told).toEqual([[false, null]]);
});

it('rest while names come in quick succession, and follow the last of them', async () => {
  const functions = ['a::f'];
  const { short, told, calls } = started(functions, 10);
  short.want(true);
  short.changed();
  await vi.advanceTimersByTimeAsync(0);
  for (let i = 0; i < 15; i += 1) {
    functions.push(`a::g${i}`);
    short.changed();
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(calls()).toBe(1);
  await vi.runAllTimersAsync();
  expect(calls()).toBe(2);
  expect(told.at(-1)).toEqual([true, ['f', ...Array.from({ length: 15 }, (_, i) => `g${i}`)].join(' ')]);
});
