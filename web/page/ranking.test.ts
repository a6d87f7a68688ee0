import { signal } from '@preact/signals';
import { expect, it, vi } from 'vitest';
import { createScope } from '../base/scope.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { furtherRunsOf } from './further_runs.ts';
import type { ComparedFile, Opener } from './opener.ts';
import { sortRuns } from './ranking.ts';
import { parseRunList } from './run_list.ts';

/** An open trace, as far as runs are sorted. */
function open(name: string, file = new Blob()): OpenTrace {
  const trace = { name, companions: signal([{ kind: 'names' }, { kind: 'wal' }]) };
  return { file, trace, scope: createScope() } as unknown as OpenTrace;
}

/** Sorts two open traces and further files, and what was opened and said meanwhile. */
function sorting(names: readonly [string, string, ...string[]], more: Partial<ComparedFile> = {}) {
  const [base, second] = [open(names[0]), open(names[1])];
  const files = names.slice(2).map((name) => ({ file: new Blob(), name }));
  const log: string[] = [];
  const opener = {
    isOpen: () => true,
    make: ({ name, companions, file }: ComparedFile) => {
      log.push(`+${name}+${companions.map(({ kind }) => kind).join()}`);
      return open(name, file);
    },
    warn: (sentence: string) => log.push(sentence),
  } as unknown as Opener;
  const file: ComparedFile = {
    file: second.file,
    name: names[1],
    companions: [],
    others: { files, notice: '' },
    ...more,
  };
  const found = sortRuns(opener, base, second, file);
  const { question } = furtherRunsOf(base);
  const sides = async () => {
    const ranked = await found;
    return (
      ranked &&
      [ranked.a, ranked.b].map((of) => [of.trace.name, ...furtherRunsOf(of).files.value.map((run) => run.name)])
    );
  };
  return { question, sides, log };
}

it('asks which runs failed, guesses by names, and opens one of each kind', async () => {
  const { question, sides, log } = sorting(['good-1', 'good-2', 'bad-1', 'good-3', 'bad-2']);
  await vi.waitFor(() => expect(question.value).not.toBeNull());
  const { runs, guess, answer } = question.value!;
  expect(runs.map(({ name }) => name)).toEqual(['good-1', 'good-2', 'bad-1', 'good-3', 'bad-2']);
  expect([...guess].map(({ name }) => name)).toEqual(['bad-1', 'bad-2']);
  answer(guess);
  expect(await sides()).toEqual([
    ['good-1', 'good-2', 'good-3'],
    ['bad-1', 'bad-2'],
  ]);
  expect(log).toEqual(['+bad-1+names']);
  expect(question.value).toBeNull();
});

it('keeps both open traces where one passed and the other failed', async () => {
  const { question, sides, log } = sorting(['x', 'y', 'z']);
  await vi.waitFor(() => expect(question.value).not.toBeNull());
  expect(question.value!.guess.size).toBe(0);
  question.value!.answer(new Set(question.value!.runs.slice(0, 1)));
  expect([await sides(), log]).toEqual([[['y', 'z'], ['x']], []]);
});

it('asks nothing if a list says it, and names the runs that it leaves out', async () => {
  const listed = parseRunList('runs.txt', 'pass a\nfail c\npass d');
  const { question, sides, log } = sorting(['a', 'b', 'c', 'd'], listed ? { listed } : {});
  expect(await sides()).toEqual([['a', 'd'], ['c']]);
  expect(log).toEqual(['+c+names', 'runs.txt does not say whether b failed.']);
  expect(question.value).toBeNull();
});

it('does nothing without an answer', async () => {
  const { question, sides } = sorting(['a', 'b', 'c']);
  await vi.waitFor(() => expect(question.value).not.toBeNull());
  question.value!.answer(null);
  expect(await sides()).toBeNull();
});
