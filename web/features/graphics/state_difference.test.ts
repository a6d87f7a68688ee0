import { expect, it } from 'vitest';
import type { GlRow, GlState } from './gl_state_protocol.ts';
import { stateDifference } from './state_difference.ts';

const row = (name: string, text: string, call = 1): GlRow => ({ name, text, call, isChanged: false, object: null });

const state = (sections: Readonly<Record<string, readonly GlRow[]>>, shaders: Readonly<Record<string, string>> = {}) =>
  ({
    sections: Object.entries(sections).map(([title, rows]) => ({ title, isUsed: true, rows })),
    shaders,
  }) as unknown as GlState;

it('has the rows whose values differ, also those that only one has', () => {
  const a = state({ Blending: [row('GL_BLEND', 'true'), row('GL_BLEND_SRC', 'GL_ONE')], Fog: [row('GL_FOG', 'true')] });
  const b = state({ Blending: [row('GL_BLEND', 'true', 9), row('GL_BLEND_SRC', 'GL_ZERO')], Depth: [row('Far', '1')] });
  const { sections } = stateDifference(a, b);
  const words = sections.map(({ title, rows }) => [title, ...rows.map((it) => [it.name, it.a?.text, it.b?.text])]);
  expect(words).toEqual([
    ['Blending', ['GL_BLEND_SRC', 'GL_ONE', 'GL_ZERO']],
    ['Fog', ['GL_FOG', 'true', undefined]],
    ['Depth', ['Far', undefined, '1']],
  ]);
  expect(stateDifference(a, a)).toEqual({ sections: [], shaders: [] });
});

it('pairs rows of one name by their order', () => {
  const inputs = (...texts: string[]) => state({ Inputs: texts.map((text) => row('input', text)) });
  const { sections } = stateDifference(inputs('x', 'y'), inputs('x', 'z', 'w'));
  expect(sections[0]?.rows.map((it) => [it.a?.text, it.b?.text])).toEqual([
    ['y', 'z'],
    [undefined, 'w'],
  ]);
});

it('compares what is in use of programs, whatever their numbers are', () => {
  const program = (...rows: GlRow[]) => state({ Program: rows });
  const words = (a: GlState, b: GlState) =>
    stateDifference(a, b).sections.flatMap(({ rows }) => rows.map((it) => [it.name, it.a?.text, it.b?.text]));
  const none = program(row('Program', 'none: fixed function'));
  expect(words(none, program(row('Program 1', 'linked')))).toEqual([
    ['Program', 'none: fixed function', 'Program 1: linked'],
  ]);
  const [one, two] = [program(row('Program 1', 'linked')), program(row('Program 2', 'linked'), row('Program 3', 'x'))];
  expect(words(one, two)).toEqual([
    ['Program', 'Program 1: linked', 'Program 2: linked'],
    ['Program', undefined, 'Program 3: x'],
  ]);
  expect(words(one, program(row('Program 1', 'not linked')))).toEqual([['Program 1', 'linked', 'not linked']]);
});

it('has the lines of shaders whose text differs', () => {
  const [a, b] = [
    state({}, { GL_VERTEX_SHADER: 'a', GL_FRAGMENT_SHADER: 'x\ny' }),
    state({}, { GL_VERTEX_SHADER: 'a', GL_FRAGMENT_SHADER: 'x\nz' }),
  ];
  const { shaders } = stateDifference(a, b);
  expect(shaders.map(({ stage }) => stage)).toEqual(['GL_FRAGMENT_SHADER']);
  expect(shaders[0]?.lines.map(({ how, text }) => `${how} ${text}`)).toEqual(['same x', 'removed y', 'added z']);
});
