import { expect, it } from 'vitest';
import { createBlocks } from './blocks.ts';

/** A WebGL2 that notes what is called, with buffers as their names. */
function noting() {
  const calls: string[] = [];
  let made = 0;
  const gl = new Proxy({} as WebGL2RenderingContext, {
    get: (_, name) => {
      if (/^[A-Z_]+$/.test(String(name))) return name;
      return (...args: unknown[]) => {
        calls.push([name, ...args].join(' '));
        if (name === 'createBuffer') made += 1;
        return `own${made}`;
      };
    },
  });
  return { gl, take: () => calls.splice(0) };
}

it('gives blocks without a buffer one of zeros', () => {
  const { gl, take } = noting();
  const blocks = createBlocks(gl);
  blocks.complete([{ binding: 4, size: 64 }]);
  expect(take()).toEqual([
    'createBuffer',
    'bindBuffer COPY_WRITE_BUFFER own1',
    'bufferData COPY_WRITE_BUFFER 64 DYNAMIC_DRAW',
    'bindBufferBase UNIFORM_BUFFER 4 own1',
  ]);
  blocks.complete([{ binding: 4, size: 64 }]);
  expect(take()).toEqual([]);
  // A buffer that is large enough takes its place.
  blocks.written(7, 128);
  blocks.bind(4, 7, 'seven' as WebGLBuffer, 64, 0);
  blocks.complete([{ binding: 4, size: 64 }]);
  expect(take()).toEqual(['bindBufferBase UNIFORM_BUFFER 4 seven']);
});

it('copies what a block has if that is too little, and again if it changes', () => {
  const { gl, take } = noting();
  const blocks = createBlocks(gl);
  blocks.written(7, 48);
  blocks.bind(0, 7, 'seven' as WebGLBuffer, 16, 64);
  take();
  blocks.complete([{ binding: 0, size: 64 }]);
  const copy = [
    'bindBuffer COPY_WRITE_BUFFER own1',
    'bufferData COPY_WRITE_BUFFER 64 DYNAMIC_DRAW',
    'bindBuffer COPY_READ_BUFFER seven',
    'copyBufferSubData COPY_READ_BUFFER COPY_WRITE_BUFFER 16 0 32',
  ];
  expect(take()).toEqual(['createBuffer', ...copy, 'bindBufferBase UNIFORM_BUFFER 0 own1']);
  blocks.written(7);
  blocks.complete([{ binding: 0, size: 64 }]);
  expect(take()).toEqual(copy);
  // A program with a smaller block takes the buffer itself.
  blocks.complete([{ binding: 0, size: 32 }]);
  expect(take()).toEqual(['bindBufferRange UNIFORM_BUFFER 0 seven 16 64']);
  blocks.reset();
  expect(take()).toEqual(['deleteBuffer own1']);
});
