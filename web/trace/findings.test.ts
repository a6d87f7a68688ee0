import { expect, test } from 'vitest';
import { nextTask } from '../base/next_task.fixture.ts';
import { ticks } from '../base/ticks.ts';
import { createFindings, type Finding, type FindingSource, type Found } from './findings.ts';
import { findingsIn, listed } from './listed_findings.ts';

const finding = (kind: string, count: number, amount: number, first: number): Finding => ({
  kind,
  sentence: `${kind} ${count}`,
  count,
  cost: { amount, unit: 'byte' },
  positions: Float64Array.of(first),
});

const KINDS = ['late', 'early'].map((id) => ({ id, title: id, says: '' }));

/** A source that reports when the test says so. */
function source() {
  const state = { asked: 0, ended: 0, report: (_: Found): void => undefined };
  const made: FindingSource = {
    kinds: KINDS,
    look: (report) => {
      state.asked += 1;
      state.report = report;
      return () => {
        state.ended += 1;
      };
    },
  };
  return { made, state };
}

test('nothing is looked for before somebody asks, and then once', async () => {
  const { made, state } = source();
  const findings = createFindings(async () => made);
  expect([state.asked, findings.state.value.at]).toEqual([0, 'idle']);
  findings.look();
  findings.look();
  await nextTask();
  expect(state.asked).toBe(1);
  state.report({ share: 0.5, isDone: false, findings: [], error: '' });
  expect(findings.state.value).toEqual({ at: 'looking', share: 0.5 });
  const found = [finding('early', 1, 2, 3), finding('late', 4, 5, 6)];
  state.report({ share: 1, isDone: true, findings: found, error: '' });
  expect(findings.state.value).toEqual({ at: 'done', isStopped: false });
  expect(findings.all.value.map(({ kind }) => kind)).toEqual(['late', 'early']);
  expect(state.ended).toBe(1);
});

test('a search that is stopped reports no more', async () => {
  const { made, state } = source();
  const findings = createFindings(async () => made);
  findings.look();
  await nextTask();
  findings.stop();
  state.report({ share: 1, isDone: true, findings: [finding('late', 1, 1, 1)], error: '' });
  expect([findings.state.value, findings.all.value.length]).toEqual([{ at: 'done', isStopped: true }, 0]);
});

test('what is looked for ahead is shown once somebody asks', async () => {
  const { made, state } = source();
  const findings = createFindings(async () => made);
  const heard: number[] = [];
  findings.ahead(({ share }) => heard.push(share));
  await nextTask();
  state.report({ share: 0.5, isDone: false, findings: [], error: '' });
  state.report({ share: 1, isDone: true, findings: [finding('late', 1, 1, 1)], error: '' });
  expect([heard, findings.state.value.at, findings.all.value.length]).toEqual([[0.5, 1], 'idle', 0]);
  findings.look();
  expect([findings.state.value, findings.all.value.length]).toEqual([{ at: 'done', isStopped: false }, 1]);
  expect([state.asked, state.ended]).toEqual([1, 1]);
});

test('a search that fails says why', async () => {
  const { made, state } = source();
  const findings = createFindings(async () => made);
  findings.look();
  await nextTask();
  state.report({ share: 0, isDone: true, findings: [], error: 'Lost.' });
  expect(findings.state.value).toEqual({ at: 'failed', sentence: 'Lost.' });
});

test('findings are sorted and narrowed', () => {
  const all = [finding('a', 1, 30, 9), finding('a', 3, 10, 7), finding('b', 2, 20, 8)];
  const by = (key: 'kind' | 'count' | 'cost' | 'first', descending: boolean, kind = '') =>
    listed(all, kind, { by: key, descending }).map(({ count }) => count);
  expect(by('kind', false)).toEqual([1, 3, 2]);
  expect(by('count', true)).toEqual([3, 2, 1]);
  expect(by('cost', true)).toEqual([1, 2, 3]);
  expect(by('first', false)).toEqual([3, 2, 1]);
  expect(by('cost', false, 'a')).toEqual([3, 1]);
});

test('costs in several units are sorted by their part of all in their own', () => {
  const of = (amount: number, unit: string): Finding => ({ ...finding('a', 1, 1, 0), cost: { amount, unit } });
  const sorted = listed([of(100, 'byte'), of(5, 'call'), of(900, 'byte')], '', { by: 'cost', descending: true });
  expect(sorted.map(({ cost }) => cost.amount)).toEqual([5, 900, 100]);
});

test('a range has the findings that happen in it, with what they have there', () => {
  const many: Finding = { ...finding('a', 5, 50, 0), positions: Float64Array.of(1, 4, 6) };
  const each: Finding = { ...many, cost: { amount: 5, unit: 'point' } };
  const within = (from: number, to: number) => {
    const range = { from: ticks(BigInt(from)), to: ticks(BigInt(to)) };
    return findingsIn([many, each, finding('b', 1, 7, 9)], range).map(
      ({ kind, count, cost: { amount }, first, isMore, isAtMost }) => [kind, count, amount, first, isMore, isAtMost],
    );
  };
  // The last places of both are not known, and may be anywhere after those that are.
  expect(within(4, 7)).toEqual([
    ['a', 2, 50, 1, false, true],
    ['a', 2, 2, 1, false, false],
  ]);
  expect(within(6, 9)).toEqual([
    ['a', 1, 50, 2, true, true],
    ['a', 1, 1, 2, true, false],
  ]);
  expect(within(9, 10)).toEqual([
    ['a', 0, 50, 0, true, true],
    ['a', 0, 0, 0, true, false],
    ['b', 1, 7, 0, false, false],
  ]);
  expect(within(2, 3)).toEqual([]);
  expect(findingsIn([many], null).map(({ whole, count }) => [whole, count])).toEqual([[many, 5]]);
});
