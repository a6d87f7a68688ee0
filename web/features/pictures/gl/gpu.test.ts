import { expect, it, vi } from 'vitest';
import { LOST, STUCK } from '../protocol.ts';
import { COMMANDS } from './commands.ts';
import { createReplayGpu } from './gpu.ts';

/** A canvas whose GPU has done as many portions as is said. Constants of its WebGL2 are their own names. */
function fake() {
  const log: string[] = [];
  let [begun, done] = [0, 0];
  const gl = new Proxy({} as WebGL2RenderingContext, {
    get: (_, name: string) => {
      if (name === 'NO_ERROR') return 0;
      if (name === name.toUpperCase()) return name;
      return (...args: unknown[]) => {
        if (name === 'fenceSync') return { number: ++begun };
        if (name === 'getSyncParameter') return (args[0] as { number: number }).number <= done ? 'SIGNALED' : '';
        if (name === 'generateMipmap') log.push('mipmap');
        if (name === 'getExtension')
          return args[0] === 'WEBGL_lose_context' ? { loseContext: () => log.push('lost') } : null;
        if (name === 'getParameter') return 'SwiftShader';
        return name === 'getError' ? 0 : name === 'isContextLost' ? false : {};
      };
    },
  });
  const canvas = { getContext: () => gl } as unknown as OffscreenCanvas;
  const gpu = createReplayGpu(canvas)!;
  return { gpu, log, begun: () => begun, finish: (count: number) => (done = count) };
}

const MIPMAP = [COMMANDS.indexOf('GenerateMipmap') | (3 << 16), 1, 0x0de1, 8192 * 8.192];
const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

it('has two portions under way at most, and gives its context up once they are done', async () => {
  const { gpu, log, begun, finish } = fake();
  const words = Uint32Array.from(Array.from({ length: 50 }, () => MIPMAP).flat());
  const ran = gpu.run(words, new Uint8Array(), false);
  await vi.waitFor(() => expect([log.length, begun()]).toEqual([2, 2]));
  await soon();
  expect(begun()).toBe(2);
  finish(1);
  // How much is in a portion depends on how long the one before took.
  await vi.waitFor(() => expect(begun()).toBe(3));
  const ended = gpu.end();
  await soon();
  expect(log).not.toContain('lost');
  finish(Number.POSITIVE_INFINITY);
  await ended;
  // What was not begun is left.
  expect(log.length).toBeLessThan(30);
  expect(log.at(-1)).toBe('lost');
  expect((await ran).interrupted).toBe(0);
  await expect(gpu.run(words, new Uint8Array(), false)).rejects.toBe(LOST);
});

it('says that it waits for the GPU, and gives up one that says nothing', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { gpu } = fake();
  let heard = 0;
  gpu.onwait = () => {
    heard += 1;
  };
  const ran = expect(gpu.run(new Uint32Array(), new Uint8Array(), false)).rejects.toBe(STUCK);
  for (let i = 0; i < 6000; i += 1) await vi.advanceTimersByTimeAsync(4);
  await ran;
  expect(heard).toBeGreaterThan(1000);
  vi.useRealTimers();
});
