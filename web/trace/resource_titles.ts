import type { ResourceColumns, ResourceKind } from '../base/survey_protocol.ts';

/** The kinds, with what people call one and several. */
export const KINDS: readonly (readonly [ResourceKind, one: string, several: string])[] = [
  ['texture', 'Texture', 'Textures'],
  ['buffer', 'Buffer', 'Buffers'],
  ['shader', 'Shader', 'Shaders'],
  ['program', 'Program', 'Programs'],
  ['framebuffer', 'Framebuffer', 'Framebuffers'],
  ['renderbuffer', 'Renderbuffer', 'Renderbuffers'],
  ['query', 'Query', 'Queries'],
  ['sampler', 'Sampler', 'Samplers'],
  ['vertexArray', 'Vertex array', 'Vertex arrays'],
  ['interface', 'Interface', 'Interfaces'],
];

/** What a resource is called: its kind, name and label. */
export function titleOf(resources: ResourceColumns, at: number): string {
  const one = KINDS.find(([id]) => id === resources.kind[at])?.[1] ?? '';
  const label = resources.label[at]!;
  // An interface of Direct3D has an address, and what it is in place of facts.
  if (resources.kind[at] === 'interface') {
    return `${resources.facts[at] || one} 0x${resources.name[at]!.toString(16)}`;
  }
  return `${one} ${resources.name[at]}${label === '' ? '' : ` “${label}”`}`;
}

/** How many of the resources at these positions were never deleted or released. */
export function leakedIn({ leaked }: Pick<ResourceColumns, 'leaked'>, rows: readonly number[]): number {
  return rows.reduce((sum, at) => sum + leaked[at]!, 0);
}
