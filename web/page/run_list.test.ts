import { expect, it } from 'vitest';
import { parseRunList, soundsFailed } from './run_list.ts';

it('says of each run whether it failed, wherever its file is', () => {
  const list = parseRunList(
    'runs.txt',
    '# six inputs\n\npass good-1.trace\r\n fail\tout/bad run.trace \npass C:\\x\\b.trace',
  );
  expect(list?.name).toBe('runs.txt');
  expect([...(list?.failed ?? [])]).toEqual([
    ['good-1.trace', false],
    ['bad run.trace', true],
    ['b.trace', false],
  ]);
});

it('is no other text', () => {
  for (const text of ['', '# nothing', 'statement,name\n1:1,f', 'pass a.trace\npassed b.trace', 'fail']) {
    expect(parseRunList('x', text)).toBeNull();
  }
});

it('guesses by names', () => {
  expect(['mid-213-fail.trace', 'crash.trace', 'good-1.trace', 'run7'].map(soundsFailed)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
