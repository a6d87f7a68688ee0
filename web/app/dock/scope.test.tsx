import { signal } from '@preact/signals';
import { act } from 'preact/test-utils';
import { expect, it } from 'vitest';
import { ticks } from '../../base/ticks.ts';
import { click, mount } from '../../parts/dom.fixture.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { Extent } from '../../trace/view.ts';
import { RangeMark } from './scope.tsx';

it('panels say that they follow the range', () => {
  const range = signal<Extent | null>(null);
  const open = { statistics: { range } } as unknown as OpenTrace;
  const mark = mount(<RangeMark open={open} />);
  expect(mark.textContent).toBe('');
  act(() => {
    range.value = { from: ticks(1n), to: ticks(5n) };
  });
  expect(mark.textContent).toBe('In the rangeShow whole trace');
  click(mark.querySelector('button'));
  expect(range.value).toBeNull();
});
