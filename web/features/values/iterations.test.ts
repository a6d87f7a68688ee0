import { signal } from '@preact/signals';
import { expect, it, onTestFinished } from 'vitest';
import { nextTask } from '../../base/next_task.fixture.ts';
import type { RecordRow } from '../../base/record_protocol.ts';
import { recorded } from '../../base/remote.fixture.ts';
import type { Remote } from '../../base/remote.ts';
import { ticks } from '../../base/ticks.ts';
import type { ValuesService } from '../../base/values_protocol.ts';
import { type Pointed, pointedOf } from '../../trace/pointed.ts';
import { createIterations } from './iterations.ts';

const COUNT = 1000;

/** The occurrences of a statement at each point. Sorted by a column they are in reverse. */
function occurrences() {
  const selected = signal<Pointed | null>(null);
  const record = signal<RecordRow | null>(null);
  let isReversed = false;
  const { service } = recorded<Remote<ValuesService>>({
    table: async () => ({ count: COUNT, rows: COUNT, columns: [] }),
    occurrences: async (first, count, column) => {
      isReversed = column >= 0;
      return Array.from({ length: count }, (_, i) => {
        const point = isReversed ? COUNT - 1 - first - i : first + i;
        return { point, locator: BigInt(point), texts: [], changed: [] };
      });
    },
    occurrenceAt: async (x) => (isReversed ? COUNT - 1 - x : x),
  });
  const revealRecord = (row: RecordRow) => {
    record.value = row;
  };
  const records = { aboutValues: <T>(ask: (values: Remote<ValuesService>) => Promise<T>) => ask(service) };
  const model = createIterations({ records }, { selected, record, revealRecord }, signal(null), 0, 0);
  onTestFinished(() => model.dispose());
  const select = (point: bigint) => {
    const item = { kind: 'instant', track: 0, index: Number(point) } as const;
    selected.value = pointedOf({ item, name: 0, start: ticks(point), end: null, flags: 0 });
  };
  return { model, select };
}

async function settled() {
  for (let i = 0; i < 3; i += 1) await nextTask();
}

it('wishes to see the row of what is selected, but not because the order is another', async () => {
  const { model, select } = occurrences();
  await settled();
  expect([model.current.value, model.wish.value]).toEqual([-1, null]);
  select(700n);
  await settled();
  const wish = model.wish.value;
  expect([model.current.value, wish === null]).toEqual([700, false]);
  model.sort.value = { column: 0, descending: true };
  await settled();
  expect(model.current.value).toBe(299);
  expect(model.wish.value).toBe(wish);
  select(10n);
  await settled();
  expect(model.current.value).toBe(989);
  expect(model.wish.value).not.toBe(wish);
});

it('wishes to see a row that was chosen', async () => {
  const { model } = occurrences();
  await settled();
  model.choose(800);
  expect([model.current.value, model.wish.value === null]).toEqual([800, false]);
});
