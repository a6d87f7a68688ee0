import { expect, it } from 'vitest';
import { sizeOf, together } from './outputs.ts';

const output = (typeName: string, array = '') => ({ name: typeName, shown: typeName, typeName, array });

it('knows how many numbers a type has', () => {
  const sizes = ['float', 'uint', 'vec3', 'ivec2', 'uvec4', 'mat3', 'mat2x3', 'mat4x2', 'Light', 'vector'].map(sizeOf);
  expect(sizes).toEqual([1, 1, 3, 2, 4, 9, 6, 8, 0, 0]);
});

it('captures together what WebGL2 captures at once', () => {
  const groups = (all: readonly ReturnType<typeof output>[]) =>
    together(all, 16).map((group) => group.map(({ typeName }) => typeName).join(' '));
  expect(groups([output('vec4'), output('vec3', '[4]'), output('float'), output('vec2')])).toEqual([
    'vec4 vec3',
    'float vec2',
  ]);
  // One that is too large for any draw is refused by itself, and so is one whose size is not known.
  expect(groups([output('vec4'), output('mat4', '[2]'), output('vec4', '[N]'), output('float')])).toEqual([
    'vec4',
    'mat4',
    'vec4',
    'float',
  ]);
});
