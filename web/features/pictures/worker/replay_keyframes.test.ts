import { expect, it } from 'vitest';
import { createKeyframes } from './replay_keyframes.ts';

/** Copies that note what is made and dropped. WebGL2 refuses those after `refused`. */
function fake(refused = -1) {
  const copied: number[] = [];
  const dropped: number[] = [];
  const copies = {
    make: (call: number) => {
      copied.push(call);
      return call !== refused;
    },
    drop: (calls: readonly number[]) => {
      dropped.push(...calls);
    },
  };
  return { keyframes: createKeyframes(copies), copied, dropped };
}

/** Two surfaces of 100 by 100 pixels, after a call. Each counts as 80,000 bytes. */
const drawn = (call: number) => ({ call, surfaces: Uint32Array.of(0, 1, 0x8058, 100, 100, 1, 1, 0x88f0, 100, 100) });
const [ALL, ROOM] = [[0, 0] as const, 1 << 30];

it('copies what was drawn once there was enough work, and finds the latest copy that serves', () => {
  const { keyframes, copied } = fake();
  expect([keyframes.worked(300, 500), keyframes.worked(300, 500)]).toEqual([false, true]);
  keyframes.make(drawn(50), ALL, ROOM);
  expect([keyframes.worked(300, 500), copied]).toEqual([false, [50]]);
  keyframes.make(drawn(90), [80, 70], ROOM);
  keyframes.make(drawn(50), ALL, ROOM);
  keyframes.make(null, ALL, ROOM);
  expect(copied).toEqual([50, 90]);
  const at = (call: number, skip: readonly [number, number]) => keyframes.before(call, skip)?.call;
  expect([at(49, [9, 9]), at(89, [80, 80]), at(90, [80, 70]), at(200, [80, 69])]).toEqual([undefined, 50, 90, 50]);
});

it('has fewer copies where room is short, and none where WebGL2 refuses them', () => {
  const { keyframes, dropped } = fake(6);
  for (const call of [1, 2, 3, 4]) keyframes.make(drawn(call), ALL, 3 * 160_000);
  expect([1, 2, 3, 4].map((call) => keyframes.before(call, ALL)?.call)).toEqual([undefined, 2, 2, 4]);
  expect(dropped).toEqual([1, 3]);
  // They are made half as often from now on.
  expect([keyframes.worked(700, 500), keyframes.worked(300, 500)]).toEqual([false, true]);
  // The trace itself needs the room.
  keyframes.make(drawn(5), ALL, 1000);
  expect(keyframes.before(5, ALL)).toBeNull();
  keyframes.make(drawn(6), ALL, ROOM);
  expect(keyframes.before(6, ALL)).toBeNull();
  expect(keyframes.worked(9999, 500)).toBe(false);
});
