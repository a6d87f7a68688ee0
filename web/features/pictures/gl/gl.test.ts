import { expect, it } from 'vitest';
import { COMMANDS, type Command } from './commands.ts';
import { createReplayGl } from './gl.ts';
import { createPace, type Pace } from './pace.ts';

/** Commands of which the WebGL2 has heard. */
let executed = 0;
let pace: Pace;

/** A WebGL2 that takes everything. Constants are their own names. */
function fake() {
  const gl = new Proxy({} as WebGL2RenderingContext, {
    get: (_, name: string) => {
      if (name === 'NO_ERROR') return 0;
      if (name === name.toUpperCase()) return name;
      return () => {
        if (['clear', 'linkProgram', 'generateMipmap'].includes(name)) executed += 1;
        return name === 'getError' ? 0 : name === 'getExtension' ? null : {};
      };
    },
  });
  pace = createPace(true);
  return createReplayGl(gl, true, pace);
}

const command = (name: Command, ...words: number[]) => [COMMANDS.indexOf(name) | (words.length << 16), ...words];
const CLEAR = command('Clear', 0x4000, 1);
/** What is waited for, and for how many commands that were executed before it. */
function waits(machine: ReturnType<typeof fake>, words: readonly number[]): string[] {
  executed = 0;
  const list: string[] = [];
  for (const wait of machine.run(Uint32Array.from(words), new Uint8Array(), false)) {
    list.push(`${wait} after ${executed}`);
    pace.take();
  }
  return list;
}

it('waits for the GPU before it has too much to do, and not for little', () => {
  const little = [...CLEAR, ...command('Program', 1, 0, 0, 0, 0, 0, 0), ...CLEAR, ...CLEAR];
  expect(waits(fake(), little)).toEqual([]);
  // Mipmaps of textures of 8192² texels: one is a portion.
  const words = [1, 2, 3].flatMap((texture) => command('GenerateMipmap', texture, 0x0de1, (8192 * 8192) / 1000));
  expect(waits(fake(), words)).toEqual(['portion after 1', 'portion after 2']);
});
