import { expect, it } from 'vitest';
import { type Portions, portionsOf } from '../base/portions.ts';
import { mount, remount, settle } from './dom.fixture.ts';
import { useInPortions } from './in_portions.ts';

/** Counts to a number. Each portion is noted. */
function* counted(count: number, ends: number[]): Portions<number> {
  yield* portionsOf(count, (_, end) => ends.push(end));
  return count;
}

function Counted({ count, ends, manner = '' }: { count: number; ends: number[]; manner?: string }) {
  return <p>{String(useInPortions(() => counted(count, ends), [count], [manner]))}</p>;
}

it('shows the result of little work at once', () => {
  expect(mount(<Counted count={3} ends={[]} />).textContent).toBe('3');
});

it('shows that of more work when it is done, and meanwhile the one before of the same subject', async () => {
  const ends: number[] = [];
  const host = mount(<Counted count={25_000} ends={ends} />);
  expect([host.textContent, ends]).toEqual(['null', [10_000]]);
  await settle();
  await settle();
  expect([host.textContent, ends]).toEqual(['25000', [10_000, 20_000, 25_000]]);
  remount(host, <Counted count={25_000} ends={ends} manner="other" />);
  expect(host.textContent).toBe('25000');
  remount(host, <Counted count={30_000} ends={ends} manner="other" />);
  expect(host.textContent).toBe('null');
});
