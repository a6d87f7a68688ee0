import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import type { ResourceColumns, ResourceEvents, Thumbnail } from '../../base/survey_protocol.ts';
import { resourceAt } from './resources/wanted.ts';
import { createThumbnails } from './thumbnails.ts';

/** Texture 1, deleted and created again, and a buffer of that name. */
const RESOURCES = {
  count: 3,
  kind: ['texture', 'buffer', 'texture'],
  name: Float64Array.of(1, 1, 1),
  created: Float64Array.of(10, 11, 50),
  deleted: Float64Array.of(40, -1, -1),
} as unknown as ResourceColumns;
const texture = (call: number) => ({ kind: 'texture', name: 1, call }) as const;

it('finds the object that has a name at a call', () => {
  expect([20, 40, 60].map((call) => resourceAt(RESOURCES, texture(call)))).toEqual([0, 0, 2]);
  // Between two lives, and for another name.
  expect(resourceAt(RESOURCES, texture(45))).toBe(0);
  expect(resourceAt(RESOURCES, { ...texture(20), name: 9 })).toBe(-1);
});

it('reads a texture once for all calls between two uploads, and none that is out of sight', async () => {
  const asked: number[] = [];
  const thumbnails = createThumbnails({
    resources: signal(RESOURCES),
    ask: {
      events: async () => {
        return {
          calls: Float64Array.of(12, 20, 30),
          what: ['uploaded', 'bound', 'uploaded'],
        } as unknown as ResourceEvents;
      },
      thumbnail: async (_, call) => {
        asked.push(call);
        return { width: 1, height: 1, pixels: Uint8Array.of(call, 0, 0, 255) } as Thumbnail;
      },
    },
  });
  const of = (call: number, isWanted = true) => thumbnails.of(texture(call), () => isWanted);
  const [early, first, second, later, gone] = await Promise.all([of(11), of(15), of(25), of(35), of(36, false)]);
  expect([early, gone]).toEqual([null, null]);
  expect([first?.pixels[0], second?.pixels[0], later?.pixels[0]]).toEqual([15, 15, 35]);
  expect(asked).toEqual([15, 35]);
});
