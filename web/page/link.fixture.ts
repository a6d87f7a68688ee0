import { signal } from '@preact/signals';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { NO_CHOICES } from '../timeline/track_choices.ts';
import type { Dock } from './dock.ts';

/** The hash of the file of {@link linkedTrace}. */
export const HEAD = 'ab'.repeat(32);
/** A dock with a flame graph in front. */
export const dock = {
  open: signal(true),
  front: signal({ xray: 'calls' }),
  calls: signal({ xray: 'flame' }),
} as unknown as Dock;

/** An open trace with all that a link can have; with a text that is too long for it. */
export function linkedTrace(moved: boolean, long = false): OpenTrace {
  return {
    memory: { identity: signal({ name: 'a & b.xray', size: 12, head: HEAD }) },
    timeline: {
      view: signal({ anchor: 100n, fraction: 0, perPixel: 1 }),
      size: signal({ width: 50, height: 10 }),
      scrollTop: signal(120.4),
      isMoved: () => moved,
      arrangement: { choices: signal({ ...NO_CHOICES, pinned: ['t1'] }), filter: signal('main') },
    },
    notes: { list: signal([{ id: 1, from: 3n, to: null, text: 'why?', colour: 'red', place: null }]) },
    statistics: {
      range: signal({ from: 5n, to: 2n ** 63n }),
      whose: signal(3),
      functionFilter: signal('f dur>1us'),
      highlighted: signal(5),
    },
    callPaths: {
      mode: signal('inverted'),
      changes: signal([{ kind: 'only', text: 'a b' }, { kind: 'hide', name: 4 }, { kind: 'collapse' }]),
      path: signal([1, 2]),
    },
    events: {
      filter: { text: signal('x'.repeat(long ? 6001 : 1)) },
      isByValues: signal(true),
      valuesText: signal('i > 3'),
    },
    selection: {
      selected: signal({ item: { kind: 'slice', depth: -2 }, track: 3, start: 7n, name: 0 }),
      record: signal(null),
    },
    trace: {
      info: signal({ format: 'xray' }),
      status: signal({ at: 'ready' }),
      companions: signal([{ name: 'shop1.elf' }]),
      names: { of: (id: number) => `f${id}`, keyOf: (id: number) => (id === 2 ? '#2' : '') },
    },
    find: { asked: signal('values: i > 3') },
    pair: signal(null),
  } as unknown as OpenTrace;
}
