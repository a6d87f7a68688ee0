import { expect, it } from 'vitest';
import type { OutputsFound } from '../../trace/vertex_outputs.ts';
import { patiently } from './patient.ts';

const ASKED = { call: 7, first: 0, count: 3, instance: 0 };
const none = (problem: string): OutputsFound => ({ outputs: null, problem });
const FOUND: OutputsFound = { outputs: null, problem: 'The replay leaves this draw out: it draws nothing.' };

it('asks again once a picture that came between is made', async () => {
  const done: string[] = [];
  const find = patiently({
    idle: async () => void done.push('idle'),
    problem: () => '',
    ask: async () => (done.push('ask') === 4 ? FOUND : null),
    none,
    isOver: () => false,
  });
  expect(await find(ASKED)).toBe(FOUND);
  expect(done).toEqual(['idle', 'ask', 'idle', 'ask']);
});

it('says why there is no answer, and ends with the trace', async () => {
  let problem = '';
  const asking = {
    idle: async () => undefined,
    problem: () => problem,
    ask: async () => {
      problem = 'The GPU failed.';
      return null;
    },
    none,
    isOver: () => false,
  };
  expect(await patiently(asking)(ASKED)).toEqual({ outputs: null, problem: 'The GPU failed.' });
  const silent = { ...asking, ask: async () => expect.unreachable() };
  expect(await patiently(silent)(ASKED)).toEqual({ outputs: null, problem: 'The GPU failed.' });
  const over = { ...asking, problem: () => '', ask: async () => null, isOver: () => true };
  expect(await patiently(over)(ASKED)).toBeNull();
});
