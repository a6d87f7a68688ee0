import { render } from 'preact';
import { expect, test, vi } from 'vitest';
import type { FoundWhy } from './protocol.ts';
import { NoWhy } from './records_list.tsx';
import { unlikeMachines } from './why.ts';
import { WhyWords } from './why_panel.tsx';

const NONE = { a: new Float64Array(), b: new Float64Array(), cells: [], valuesA: [], valuesB: [] };
const FOUND: FoundWhy = { a: 1117, b: 1117, origin: 0, chain: NONE, state: NONE, differing: 5, isCut: false };

function words(found: Partial<FoundWhy>, show = vi.fn()) {
  const box = document.createElement('div');
  render(<WhyWords found={{ ...FOUND, ...found }} show={show} />, box);
  return { box, text: (box.textContent ?? '').replaceAll('\u00a0', ' ') };
}

test('the sentence says where the paths part, and what the cause is', () => {
  expect(words({}).text).toBe(
    'The paths part at step 1,117. Values differ in 5 steps before. The cause is a step that read the same values in both and wrote another one.',
  );
  expect(words({ b: 20, origin: 1, differing: 0 }).text).toBe(
    'The paths part at step 1,117 of A and 20 of B. No value differs before. The cause is an instruction that differs.',
  );
  expect(words({ origin: 2, differing: 1 }).text).toContain('Values differ in 1 step before. The cause is a value');
  expect(words({ origin: -1 }).text).toContain('the reason is not in these traces');
  expect(words({ a: -1, b: -1, isCut: true }).text).toBe(
    'The traces differ in too much to be followed further. The paths are the same. Values differ in 5 steps.',
  );
});

test('traces of blocks say why nothing can be followed, and what can be done', () => {
  const box = document.createElement('div');
  render(<NoWhy />, box);
  expect(box.textContent).toMatch(/not what their instructions read and wrote.*Side by side.*BAP frames/);
});

test('where the paths part is a link that selects the step in both', () => {
  const show = vi.fn();
  words({ b: 20 }, show).box.querySelector('button')?.click();
  expect(show).toHaveBeenCalledWith(1117, 20);
});

test('only traces that name two machines are refused', () => {
  const of = (machine: string) => [['Machine', machine]] as const;
  expect(unlikeMachines(of('i386, x86-64'), of('mips'))).toBe(
    'The instructions of A are of i386, and those of B of mips: no two of them are the same.',
  );
  expect(unlikeMachines(of('i386, x86-64'), of('i386, i386'))).toBeNull();
  expect(unlikeMachines(of('mips'), [])).toBeNull();
});
