import { expect, it } from 'vitest';
import { COMMANDS, type Command } from './commands.ts';
import { createReplayGl } from './gl.ts';

/** A WebGL2 that takes everything. Constants are their own names. */
function fake() {
  const gl = new Proxy({} as WebGL2RenderingContext, {
    get: (_, name: string) => {
      if (name === 'NO_ERROR') return 0;
      if (name === name.toUpperCase()) return name;
      return () => (name === 'getError' ? 0 : name === 'getExtension' ? null : {});
    },
  });
  return createReplayGl(gl, false, async () => undefined);
}

const command = (name: Command, ...words: number[]) => [COMMANDS.indexOf(name) | (words.length << 16), ...words];
const CLEAR = command('Clear', 0x4000);
const run = (machine: ReturnType<typeof fake>, words: readonly number[], from: number, turnMs: number) =>
  machine.run(Uint32Array.from(words), new Uint8Array(), false, from, turnMs);

it('ends a turn where what follows would wait for the GPU, and when its time is over', () => {
  const machine = fake();
  const words = [...CLEAR, ...command('Program', 1, 0, 0, 0, 0), ...CLEAR, ...CLEAR];
  // A worker has nothing else to do.
  expect(run(machine, words, 0, Number.POSITIVE_INFINITY)).toBe(words.length);
  const afterProgram = CLEAR.length + 6;
  expect(run(machine, words, 0, 60_000)).toBe(afterProgram);
  expect(run(machine, words, afterProgram, 60_000)).toBe(words.length);
  // Without time, one command.
  expect(run(machine, words, 0, 0)).toBe(CLEAR.length);
  // A pixel is read once the GPU has drawn.
  machine.views.watch = { kind: 'pixel', framebuffer: 0, from: 0, x: 0, y: 0 };
  expect(run(machine, words, afterProgram, 60_000)).toBe(afterProgram + CLEAR.length);
});
