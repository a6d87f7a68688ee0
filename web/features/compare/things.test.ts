import { expect, it } from 'vitest';
import type { ResourceColumns, ResourceKind } from '../../base/survey_protocol.ts';
import type { Finding } from '../../trace/findings.ts';
import { findingsApart, type Held, heldBy, type Resources, resourcesApart } from './things.ts';

/** Resources: kind, name, label, facts, how many bytes they have, and which. */
function resources(...all: [ResourceKind, number, string, string, number, string?][]): Resources {
  const numbers = (of: (row: (typeof all)[number], at: number) => number) => Float64Array.from(all, of);
  const columns = {
    count: all.length,
    kind: all.map(([kind]) => kind),
    name: numbers(([, name]) => name),
    label: all.map(([, , label]) => label),
    facts: all.map(([, , , facts]) => facts),
    size: numbers(([, , , , size]) => size),
    created: numbers((_, at) => 10 * at),
    levels: numbers(() => 1),
    uploads: numbers(() => 1),
  } as Partial<ResourceColumns> as ResourceColumns;
  const held = all.map(([, , , , , key], at): Held => ({ key: key ?? '', call: 10 * at + 5 }));
  return { columns, held };
}

const bytes = (size: number) => `${size} B`;

it('pairs resources by what they hold, whatever their names are', () => {
  const a = resources(['texture', 1, '', '2D', 64], ['texture', 2, '', '2D', 128]);
  const b = resources(['texture', 1, '', '2D', 128], ['texture', 2, '', '2D', 64], ['texture', 3, '', '2D', 64]);
  expect(resourcesApart(a, a, bytes)).toEqual([]);
  expect(resourcesApart(a, b, bytes)).toEqual([
    { of: 'resource', title: 'Texture 3', verdict: 'new', a: null, b: { says: '2D, 64 B, 1 upload', call: 20 } },
  ]);
  expect(resourcesApart(b, a, bytes).map(({ title, verdict }) => [title, verdict])).toEqual([['Texture 3', 'gone']]);
});

it('says of a label, or else of a name, that it holds something else', () => {
  const a = resources(['buffer', 1, 'vertices', '', 64], ['shader', 5, '', 'fragment shader', 100]);
  const b = resources(['shader', 5, '', 'fragment shader', 114], ['buffer', 9, 'vertices', '', 96]);
  const said = resourcesApart(a, b, bytes).map(({ title, verdict, a, b }) => [title, verdict, a?.says, b?.says]);
  expect(said).toEqual([
    ['Buffer 9 “vertices”', 'changed', '64 B, 1 upload', '96 B, 1 upload'],
    ['Shader 5', 'changed', 'fragment shader, 100 B, 1 upload', 'fragment shader, 114 B, 1 upload'],
  ]);
});

it('tells apart what is of one size by its contents, and leads to where these were uploaded', () => {
  const a = resources(['texture', 1, '', '2D', 64, 'grass'], ['texture', 2, '', '2D', 64, 'stone']);
  const b = resources(['texture', 1, '', '2D', 64, 'stone'], ['texture', 2, '', '2D', 64, 'snow']);
  expect(resourcesApart(a, b, bytes)).toEqual([
    {
      of: 'resource',
      title: 'Texture 2',
      verdict: 'changed',
      a: { says: '2D, 64 B, 1 upload', call: 5 },
      b: { says: '2D, 64 B, 1 upload, other contents', call: 15 },
    },
  ]);
});

it('reads the texts of shaders and the bytes of uploads', async () => {
  const kind: ResourceKind[] = ['shader', 'buffer', 'buffer', 'program'];
  const uploads = Float64Array.of(1, 2, 2, 0);
  const ask = {
    events: async () => ({ calls: Float64Array.of(3, 4, 9), what: ['created', 'uploaded', 'uploaded'] }),
    sources: async () => [
      [3, 'old'],
      [9, 'void main() {}'],
    ],
    blob: async (call: number) => Uint8Array.of(call),
  } as unknown as Parameters<typeof heldBy>[1];
  const [shader, one, other, program] = await heldBy({ count: 4, kind, uploads }, ask);
  expect(shader).toEqual({ key: 'void main() {}', call: 9 });
  expect(one).toEqual(other);
  expect(one?.key).toMatch(/^1:\d+,1:\d+$/);
  expect(new Set(one?.key.split(',')).size).toBe(2);
  expect(program).toEqual({ key: '', call: null });
});

it('has other names of the parts of a program as they come', () => {
  const a = resources(['program', 3, '', 'shader 1, shader 2', 0]);
  const b = resources(['program', 6, '', 'shader 4, shader 5', 0]);
  expect(resourcesApart(a, b, bytes)).toEqual([]);
});

it('has addresses of interfaces as they come', () => {
  const a = resources(['interface', 4096, '', 'ID3D11Buffer', 0]);
  const b = resources(['interface', 8192, '', 'ID3D11Buffer', 0]);
  expect(resourcesApart(a, b, bytes)).toEqual([]);
});

it('finds findings that are new, gone, or not as many, whatever the numbers of their objects are', () => {
  const finding = (kind: string, sentence: string, count: number, first: number): Finding => ({
    kind,
    sentence,
    count,
    cost: { amount: count, unit: 'call' },
    positions: Float64Array.of(first),
  });
  const a = [finding('bind', 'texture 3 is bound already', 5, 7), finding('error', 'GL_INVALID_ENUM', 1, 9)];
  const b = [
    finding('bind', 'texture 4 is bound already', 5, 8),
    finding('wait', 'glFinish', 2, 3),
    finding('error', 'GL_INVALID_ENUM', 3, 9),
  ];
  const kinds = [{ id: 'wait', title: 'Waits', says: '' }];
  const apart = findingsApart(a, b, kinds, (count) => `${count}`);
  expect(apart).toEqual([
    {
      of: 'finding',
      title: 'error: GL_INVALID_ENUM',
      verdict: 'changed',
      a: { says: '1', call: 9 },
      b: { says: '3', call: 9 },
    },
    { of: 'finding', title: 'Waits: glFinish', verdict: 'new', a: null, b: { says: '2', call: 3 } },
  ]);
  expect(findingsApart(b, a, kinds, String).map(({ verdict }) => verdict)).toContain('gone');
});
