import { signal } from '@preact/signals';
import { act } from 'preact/test-utils';
import { expect, it } from 'vitest';
import { ticks } from '../../base/ticks.ts';
import { click, mount } from '../../parts/dom.fixture.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { Extent } from '../../trace/view.ts';
import { RangeMark } from './scope.tsx';

it('a panel says whether it follows the range', () => {
  const range = signal<Extent | null>(null);
  const open = { statistics: { range } } as unknown as OpenTrace;
  const [limited, whole] = [true, false].map((follows) => mount(<RangeMark open={open} isWhole={!follows} />));
  expect([limited!.textContent, whole!.textContent]).toEqual(['', '']);
  act(() => {
    range.value = { from: ticks(1n), to: ticks(5n) };
  });
  expect([limited!.textContent, whole!.textContent]).toEqual([
    'In the rangeShow whole trace',
    'Not limited to the range',
  ]);
  click(limited!.querySelector('button'));
  expect(range.value).toBeNull();
});
