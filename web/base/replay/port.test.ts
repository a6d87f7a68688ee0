import { expect, it } from 'vitest';
import { LOST } from '../replay_protocol.ts';
import type { ReplayGpu } from './gpu.ts';
import { gpuBehind, serveGpu } from './port.ts';

it('answers questions one after the other, with what was thrown, and hands typed arrays over', async () => {
  const log: string[] = [];
  const gpu = {
    run: async (words: Uint32Array) => {
      log.push(`run ${words.length}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.push('ran');
      return { hasErrors: false, refused: [], cut: [] };
    },
    colors: async (framebuffer: number) => {
      log.push(`colors of ${framebuffer}`);
      if (framebuffer === 2) throw LOST;
      return Uint8ClampedArray.of(1, 2, 3, 4);
    },
  } as unknown as ReplayGpu;
  const { port1, port2 } = new MessageChannel();
  serveGpu(gpu, port1);
  const asked = gpuBehind(port2);
  const words = new Uint32Array(3);
  const answers = await Promise.allSettled([
    asked.run(words, new Uint8Array(), false),
    asked.colors(1, { width: 1, height: 1 }),
    asked.colors(2, { width: 1, height: 1 }),
  ]);
  port1.close();
  expect(log).toEqual(['run 3', 'ran', 'colors of 1', 'colors of 2']);
  expect(answers).toEqual([
    { status: 'fulfilled', value: { hasErrors: false, refused: [], cut: [] } },
    { status: 'fulfilled', value: Uint8ClampedArray.of(1, 2, 3, 4) },
    { status: 'rejected', reason: LOST },
  ]);
  expect(words.length).toBe(0);
});
