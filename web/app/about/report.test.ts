import { expect, it, vi } from 'vitest';

vi.mock('virtual:about', () => ({ VERSION: '1.2.3', COMMIT: 'abc' }));
const { describedFailures, withoutNames } = await import('./report.ts');

it('has no names of files, no addresses and no paths', () => {
  const text = [
    'Error: secret plan.xray is at fault, and so are a and "data"',
    '    at read (https://intern.example:8080/secret/assets/trace-B4x_-1.js?v=1:12:34)',
    '    at wasm://wasm/0012:wasm-function[3]:0x4 https://intern.example/assets/unspool_browser_bg-Cq.wasm:wasm-function[12]:0x1a2b',
    '    at blob:https://intern.example/0b-1#worker:1:2',
    '    at /home/anna/secret/lib.rs:3:4, C:\\Users\\Anna\\x.trace and file:///home/anna/unspool.html',
  ].join('\n');
  expect(withoutNames(text, ['plan', 'secret plan.xray', 'a', ''])).toBe(
    [
      'Error: [name] is at fault, and so are [name] and "data"',
      '    at read (trace-B4x_-1.js:12:34)',
      '    at [address]:wasm-function[3]:0x4 unspool_browser_bg-Cq.wasm:wasm-function[12]:0x1a2b',
      '    at [address]:1:2',
      '    at [path]:3:4, [path] and [address]',
    ].join('\n'),
  );
});

it('has each failure once, with its stack', () => {
  const stack = 'RuntimeError: unreachable\n    at f (a.js:1:2)';
  const noted = [
    { part: 'trace', text: stack, at: 1234 },
    { part: 'trace', text: 'Uncaught RuntimeError: unreachable', at: 1240 },
    { part: 'records', text: 'the browser ended it', at: 2000 },
  ];
  expect(describedFailures(noted, [])).toEqual([
    '',
    `1.2 s, trace: ${stack}`,
    '',
    '2.0 s, records: the browser ended it',
  ]);
  expect(describedFailures([], [])).toEqual(['', 'no failure']);
});
