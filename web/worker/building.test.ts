import { expect, test, vi } from 'vitest';
import { createBuilding } from './building.ts';

/** Something of which each turn reads one of `of` parts. */
function counting(of: number) {
  const open = { done: 0 };
  const reports: { done: number; isDone: boolean; isStopped: boolean }[] = [];
  const failed = vi.fn();
  const building = createBuilding<typeof open>({
    turn: (it) => {
      it.done += 1;
      return it.done === of;
    },
    arrival: () => null,
    report: (it, at) => reports.push({ done: it.done, ...at }),
    reportMs: Number.POSITIVE_INFINITY,
    failed,
  });
  return { open, reports, failed, building };
}

test('reads to the end, and reports it once', async () => {
  const { open, reports, building } = counting(5);
  building.open(Promise.resolve(open));
  await vi.waitFor(() => expect(reports).toEqual([{ done: 5, isDone: true, isStopped: false }]));
  building.goOn();
  building.stop();
  await vi.waitFor(() => expect(reports.length).toBe(2));
  expect(open.done).toBe(5);
});

test('stops between turns, and goes on where it was', async () => {
  const { open, reports, building } = counting(1_000_000);
  building.open(Promise.resolve(open));
  await vi.waitFor(() => expect(open.done).toBeGreaterThan(3));
  building.stop();
  await vi.waitFor(() => expect(reports.at(-1)).toMatchObject({ isDone: false, isStopped: true }));
  const { done } = open;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(open.done).toBe(done);
  building.goOn();
  await vi.waitFor(() => expect(open.done).toBeGreaterThan(done));
  building.stop();
});

test('begins again at once when there is more to read', async () => {
  const { open, reports, building } = counting(3);
  building.open(Promise.resolve(open));
  await vi.waitFor(() => expect(reports).toHaveLength(1));
  open.done = 0;
  building.again();
  await vi.waitFor(() =>
    expect(reports.slice(1)).toEqual([
      { done: 0, isDone: false, isStopped: false },
      { done: 3, isDone: true, isStopped: false },
    ]),
  );
});

test('answers while it reads, and passes on the sentence of what was thrown', async () => {
  const { open, building } = counting(1_000_000);
  const answers: unknown[] = [];
  const post = (answer: unknown, error: string | null) => answers.push([answer, error]);
  building.open(Promise.resolve(open));
  building.answer((it) => it.done >= 0, post);
  building.answer(() => {
    throw 'The file cannot be read any more.';
  }, post);
  await vi.waitFor(() =>
    expect(answers).toEqual([
      [true, null],
      [null, 'The file cannot be read any more.'],
    ]),
  );
  building.stop();
});

test('says why it cannot be opened', async () => {
  const { failed, building } = counting(1);
  const post = vi.fn();
  building.open(Promise.reject('This is no index.'));
  building.answer(() => 1, post);
  await vi.waitFor(() => expect(failed).toHaveBeenCalledWith('This is no index.'));
  expect(post).toHaveBeenCalledWith(null, 'This is no index.');
});
