import { signal } from '@preact/signals';
import { act } from 'preact/test-utils';
import { expect, it } from 'vitest';
import { ticks } from '../../base/ticks.ts';
import { click, mount } from '../../parts/dom.fixture.ts';
import type { Extent, View } from '../../trace/view.ts';
import type { OpenTrace } from '../open_trace.ts';
import { RangeChip, rangePlace } from './range.tsx';

const WIDTH = 1000;
const of = (from: number, to: number): Extent => ({ from: ticks(BigInt(from)), to: ticks(BigInt(to)) });

/** The ruler over the first 1,000 calls of 100,000, with a range. */
function ruler(first: Extent) {
  const range = signal<Extent | null>(first);
  const trail = signal<readonly Extent[]>([]);
  const view = signal<View>({ anchor: 0n, fraction: 0, perPixel: 1 });
  const drawn = signal<Extent | null>(null);
  const shown: Extent[] = [];
  const open = {
    trace: {
      info: signal({ clock: { kind: 'ordinal', unit: 'call' } }),
      progress: signal({ extent: of(0, 100_000) }),
    },
    timeline: { view, size: signal({ width: WIDTH, height: 100 }), show: (extent: Extent) => shown.push(extent) },
    statistics: { range, trail },
  } as unknown as OpenTrace;
  const host = mount(<RangeChip open={open} drawn={drawn} />);
  const chip = () => host.querySelector('nav');
  const text = () => chip()?.querySelector('.range-text')?.textContent?.replaceAll(/\s/g, ' ') ?? '';
  const button = (name: string) => host.querySelector(`[aria-label="${name}"]`);
  return { open, range, trail, view, drawn, shown, host, chip, text, button };
}

it('one chip says the range and its length, and clears it', () => {
  const { range, text, chip, shown, button } = ruler(of(200, 600));
  expect(text()).toBe('call 200 – call 599 (400 calls)');
  click(chip()!.querySelector('.range-text'));
  expect(shown).toEqual([of(200, 600)]);
  click(button('Clear range'));
  expect([range.value, chip()]).toEqual([null, null]);
});

it('stays in sight where the range is not, and shows where that is', () => {
  const { open, view, drawn, host, text } = ruler(of(200, 600));
  const place = () => rangePlace(open, drawn)!;
  expect((place().from + place().to) / 2).toBeCloseTo(400);
  act(() => {
    view.value = { anchor: 5000n, fraction: 0, perPixel: 1 };
  });
  expect([place().from, text().slice(0, 2)]).toEqual([0, '◂ ']);
  expect(host.querySelector('.range-ruler')).toBeNull();
  act(() => {
    view.value = { anchor: 0n, fraction: 0, perPixel: 0.1 };
  });
  expect([place().to, text().slice(-2)]).toEqual([WIDTH, ' ▸']);
});

it('has the length alone where there is no room, and while it is dragged', () => {
  const { open, drawn, host, chip, text } = ruler(of(200, 600));
  act(() => {
    open.timeline.size.value = { width: 250, height: 100 };
  });
  expect(text()).toBe('400 calls');
  act(() => {
    drawn.value = of(10, 40);
  });
  expect([chip(), host.querySelector('.range-length')?.textContent?.replaceAll(/\s/g, ' ')]).toEqual([
    null,
    '30 calls',
  ]);
});

it('leads back to the range around it', () => {
  const { range, trail, shown, button } = ruler(of(200, 600));
  expect(button('Wider range, 800\u00a0calls')).toBeNull();
  act(() => {
    trail.value = [of(0, 1000), of(100, 900)];
  });
  click(button('Wider range, 800\u00a0calls'));
  expect([range.value, shown]).toEqual([of(100, 900), [of(100, 900)]]);
});
