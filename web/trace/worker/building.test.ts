import { expect, test, vi } from 'vitest';
import { createBuilding } from './building.ts';

/** Something of which each turn reads one of `of` parts. */
function counting(of: number) {
  const open = { done: 0 };
  const reports: { done: number; isDone: boolean; isStopped: boolean }[] = [];
  const failed = vi.fn();
  const building = createBuilding<typeof open, Promise<typeof open>, (typeof reports)[number]>({
    open: (opening) => opening,
    turn: (it) => {
      it.done += 1;
      return it.done === of;
    },
    arrival: () => null,
    news: (it, at) => ({ done: it.done, ...at }),
    reportMs: Number.POSITIVE_INFINITY,
  });
  const begin = (opening = Promise.resolve(open)) =>
    void building.turns.open(opening, (it) => reports.push(it), failed);
  return { open, reports, failed, building, begin };
}

test('reads to the end, and reports it once', async () => {
  const { open, reports, building, begin } = counting(5);
  begin();
  await vi.waitFor(() => expect(reports).toEqual([{ done: 5, isDone: true, isStopped: false }]));
  building.turns.goOn();
  building.turns.stop();
  await vi.waitFor(() => expect(reports.length).toBe(2));
  expect(open.done).toBe(5);
});

test('stops between turns, and goes on where it was', async () => {
  const { open, reports, building, begin } = counting(1_000_000);
  begin();
  await vi.waitFor(() => expect(open.done).toBeGreaterThan(3));
  building.turns.stop();
  await vi.waitFor(() => expect(reports.at(-1)).toMatchObject({ isDone: false, isStopped: true }));
  const { done } = open;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(open.done).toBe(done);
  building.turns.goOn();
  await vi.waitFor(() => expect(open.done).toBeGreaterThan(done));
  building.turns.stop();
});

test('begins again at once when there is more to read', async () => {
  const { open, reports, building, begin } = counting(3);
  begin();
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

test('answers while it reads, and rejects with what was thrown', async () => {
  const { open, building, begin } = counting(1_000_000);
  begin();
  expect(await building.answer((it) => it === open && it.done >= 0)).toBe(true);
  const thrown = building.answer(() => {
    throw 'The file cannot be read any more.';
  });
  await expect(thrown).rejects.toBe('The file cannot be read any more.');
  building.turns.stop();
});

test('says why it cannot be opened', async () => {
  const { failed, building, begin } = counting(1);
  begin(Promise.reject('This is no index.'));
  await expect(building.answer(() => 1)).rejects.toBe('This is no index.');
  expect(failed).toHaveBeenCalledWith('This is no index.');
});
