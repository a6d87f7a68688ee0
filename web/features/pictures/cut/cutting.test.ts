import { signal } from '@preact/signals';
import { expect, test, vi } from 'vitest';
import { KEEP_ALL } from '../../../base/export_protocol.ts';
import type { FrameNeeds } from '../../../base/survey_protocol.ts';
import type { WantedCalls } from '../../../trace/writing_calls.ts';
import type { Replay } from '../replay.ts';
import { createCutting } from './cutting.ts';
import type { FrameFiles, Replayed } from './files.ts';

const NEEDS = {
  refused: '',
  calls: Float64Array.of(0, 8),
  texts: Float64Array.of(2, 3),
  end: 8,
  rows: [],
} as unknown as FrameNeeds;

/** A replay whose pictures have one pixel of this value. */
const showing = (value: number) =>
  ({
    ask: async (call: number) => ({
      call,
      view: 'color',
      picture: { width: 1, height: 1, pixels: new Uint8ClampedArray(4).fill(value), halted: '' },
    }),
    failure: signal(null),
    refusals: signal([]),
    coverage: signal({}),
  }) as unknown as Replay;

/** Files whose tries are replayed by `replay`, after the first file. */
function setUp(replay: (file: Blob) => Promise<Replayed>, whole = 1) {
  let replays = 0;
  const written: WantedCalls[] = [];
  const shown = (value: number): Replayed => ({
    replay: showing(value),
    frames: { to: [7] } as unknown as Replayed['frames'],
    end: () => undefined,
  });
  const files: FrameFiles = {
    needs: async () => NEEDS,
    write: async (calls) => {
      written.push(calls);
      return new Blob([new Uint8Array(calls.only.length)]);
    },
    look: async () => ({ found: [0, 0, 0, 0], examples: [] }),
    replay: async (file) => {
      replays += 1;
      return replays === 1 ? shown(1) : replay(file);
    },
  };
  return { cutting: createCutting(files, showing(whole), 3, 7), shown, written };
}

test('a frame is written, and its picture compared', async () => {
  const { cutting } = setUp(() => Promise.reject(new Error('There are no tries.')));
  await vi.waitFor(() => expect(cutting.step.value.at).toBe('done'));
  expect(cutting.made.value).toMatchObject({ calls: 8, leftOut: 0 });
  expect(cutting.pictures.value).toHaveLength(2);
});

test('a search for a smaller file ends at once, and keeps what it has', async () => {
  let tries = 0;
  const { cutting, shown } = setUp(() => {
    tries += 1;
    // The second try never answers.
    return tries === 1 ? Promise.resolve(shown(1)) : new Promise(() => undefined);
  });
  await vi.waitFor(() => expect(cutting.step.value.at).toBe('done'));
  const ended = cutting.shrink(null);
  await vi.waitFor(() => expect(tries).toBe(2));
  expect(cutting.step.value.at).toBe('shrinking');
  cutting.enough();
  await ended;
  expect(cutting.step.value.at).toBe('done');
  expect(cutting.made.value).toMatchObject({ calls: 4, leftOut: 4 });
});

test('what is hashed or left out is written again, but for texts that a replay needs', async () => {
  const { cutting, shown, written } = setUp(() => Promise.resolve(shown(1)));
  await vi.waitFor(() => expect(cutting.step.value.at).toBe('done'));
  await cutting.rewrite();
  expect(written).toHaveLength(1);
  cutting.choices.value = { ...KEEP_ALL, texts: 'omit' };
  await cutting.rewrite();
  await cutting.rewrite();
  expect(written).toHaveLength(2);
  expect([...written[1]!.clean.choices]).toEqual([0, 0, 2, 0, 0]);
  expect([...written[1]!.texts]).toEqual([2, 3]);
  expect(cutting.step.value.at).toBe('done');
});
