import { expect, test } from 'vitest';
import { aboutTimes, measuredText } from './call_times.ts';

const READ = { calls: 215, counts: Float64Array.of(215, 18, 0), skipped: '', replay: null, doubt: '', wrong: '' };

test('says what a file of times has', () => {
  expect(aboutTimes(READ)).toEqual({
    sentence: 'It lists 215\u00a0calls: CPU time of 215, GPU time of 18.',
    wrong: false,
  });
  const skipped = '2 lines skipped, the first is line 7: its cpu_dura is missing or not a number';
  expect(aboutTimes({ ...READ, skipped })).toEqual({
    sentence:
      'It lists 215\u00a0calls: CPU time of 215, GPU time of 18. 2 lines skipped, the first is line 7: its cpu_dura is missing or not a number.',
    wrong: true,
  });
  expect(aboutTimes({ ...READ, calls: 0 })).toEqual({ sentence: 'It lists no calls.', wrong: true });
  expect(aboutTimes({ ...READ, wrong: 'the times are those of another trace' }).sentence).toBe(
    'The times are those of another trace.',
  );
  expect(aboutTimes(null).wrong).toBe(true);
});

test('says which times cannot be true', () => {
  const doubt = 'GPU time of 1 call left out as implausible: longer than the replay, which took 523 ms';
  expect(aboutTimes({ ...READ, doubt })).toEqual({
    sentence:
      'It lists 215\u00a0calls: CPU time of 215, GPU time of 18. GPU time of 1 call left out as implausible: longer than the replay, which took 523 ms.',
    wrong: true,
  });
  const times = { replay: 522_508_225 };
  expect(measuredText('gpuTime', 1_376_972_964_381, times)).toBe('22\u00a0min 56\u00a0s, implausible');
  expect(measuredText('gpuTime', 1_284_000, times)).toBe('1.284\u00a0ms');
  expect(measuredText('gpuTime', 1_376_972_964_381, { replay: null })).toBe('22\u00a0min 56\u00a0s');
  // Pixels are not nanoseconds.
  expect(measuredText('pixels', 1_000_000_000, times)).toBe('1,000,000,000');
});

test('says what was not measured', () => {
  expect(measuredText('cpuTime', Number.NaN)).toBe('not measured');
  expect(measuredText('cpuTime', 0)).not.toBe('not measured');
  expect(measuredText('gpuTime', 1_284_000)).toBe('1.284\u00a0ms');
  expect(measuredText('pixels', 12_522)).toBe('12,522');
});
