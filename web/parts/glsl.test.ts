import { expect, test } from 'vitest';
import { tokensOf } from './glsl.tsx';

test('tokens are the source, each of its kind', () => {
  const source = '#version 130\nin vec4 pos; // a\nvoid main(){ gl_Position = 1.5e3*mvp; } /* open';
  const tokens = tokensOf(source);
  expect(tokens.map(({ text }) => text).join('')).toBe(source);
  const of = (kind: string) => tokens.filter((token) => token.kind === kind).map(({ text }) => text);
  expect(of('directive')).toEqual(['#version 130']);
  expect(of('keyword')).toEqual(['in']);
  expect(of('type')).toEqual(['vec4', 'void']);
  expect(of('built-in')).toEqual(['gl_Position']);
  expect(of('number')).toEqual(['1.5e3']);
  expect(of('comment')).toEqual(['// a', '/* open']);
});
