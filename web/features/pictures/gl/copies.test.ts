import { expect, it } from 'vitest';
import { createCopies } from './copies.ts';
import { standing } from './views.ts';

/** Notes what is called. Constants are their own names; `errors` are what is returned for further questions about errors. */
function fake() {
  const called: string[] = [];
  const errors: number[] = [];
  const gl = new Proxy({} as WebGL2RenderingContext, {
    get: (_, name: string) => {
      if (name === 'NO_ERROR') return 0;
      if (name === name.toUpperCase()) return name;
      return (...args: unknown[]) => {
        called.push(name);
        return name === 'getError' ? (errors.shift() ?? 0) : args;
      };
    },
  });
  const objects = { texture: () => ({}), renderbuffer: () => ({}), restore: () => undefined };
  const count = (name: string) => called.filter((each) => each === name).length;
  return { copies: createCopies(gl, standing(), objects), errors, count };
}

const SURFACES = Uint32Array.of(0, 1, 0x8058, 100, 100, 1, 1, 0x88f0, 100, 100);

it('copies surfaces there and back, and deletes copies', () => {
  const { copies, count } = fake();
  expect(copies.make(7, SURFACES)).toBe(true);
  expect(count('blitFramebuffer')).toBe(2);
  copies.put(7);
  expect(count('blitFramebuffer')).toBe(4);
  copies.drop([7]);
  copies.put(7);
  expect([count('blitFramebuffer'), count('deleteRenderbuffer')]).toEqual([4, 2]);
});

it('keeps nothing of what WebGL2 refuses to copy', () => {
  const { copies, errors, count } = fake();
  errors.push(0, 1282);
  expect(copies.make(7, SURFACES)).toBe(false);
  expect(count('deleteRenderbuffer')).toBe(2);
});
