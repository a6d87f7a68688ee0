import { codeNumber, formatCount } from '../../base/format.ts';
import type { VertexOutputs } from '../../trace/vertex_outputs.ts';
import { type Mesh, type Wireframe, wiresOf } from './mesh.ts';

/** Numbers that the table has for the vertices of a draw. */
export interface VertexColumn {
  readonly title: string;
  readonly says?: string | undefined;
  /** Those of a vertex; null if there are none. */
  numbers(vertex: number): ArrayLike<number> | null;
}

/** The numbers of a column as text, or ''. */
export function textOf(column: VertexColumn, vertex: number): string {
  return Array.from(column.numbers(vertex) ?? [], codeNumber).join(', ');
}

/** The inputs of an instance. */
export function inputColumns({ inputs }: Mesh, instance: number): readonly VertexColumn[] {
  return inputs.map(({ input, at }) => ({
    title: input.title,
    says: input.divisor > 0 ? 'Per instance' : undefined,
    numbers: (vertex) => at(vertex, instance),
  }));
}

/** The outputs, and where the vertices are on the screen. `mode` is that of the draw. */
export function outputColumns(found: VertexOutputs, mode: string): readonly VertexColumn[] {
  const columns = found.outputs
    // Only points have a size.
    .filter(({ title }) => title !== 'gl_PointSize' || mode === 'GL_POINTS')
    .map(
      ({ title, components, values }): VertexColumn => ({
        title,
        says: title === 'gl_Position' ? 'Output: clip coordinates' : 'Output of the vertex shader',
        numbers: (vertex) => {
          const at = vertex - found.first;
          return at >= 0 && at < found.count ? values.subarray(at * components, (at + 1) * components) : null;
        },
      }),
    );
  const position = columns.find(({ title }) => title === 'gl_Position');
  if (!position) return columns;
  const device = (vertex: number): readonly [number, number, number] | null => {
    const [x = 0, y = 0, z = 0, w = 0] = Array.from(position.numbers(vertex) ?? []);
    return w > 0 ? [x / w, y / w, z / w] : null;
  };
  const [left, bottom, width, height] = found.viewport;
  return [
    position,
    {
      title: 'Device',
      says: 'gl_Position by its w: the picture goes from -1 to 1. None behind the eye',
      numbers: (vertex) => device(vertex)?.map(Math.fround) ?? null,
    },
    {
      title: 'Pixel',
      says: 'In the picture, from its top left',
      numbers: (vertex) => {
        const at = device(vertex);
        if (!at) return null;
        const up = found.isUpsideDown ? -at[1] : at[1];
        const [x, y] = [left + ((at[0] + 1) / 2) * width, found.height - bottom - ((up + 1) / 2) * height];
        return [x, y].map((place) => Math.round(100 * place) / 100);
      },
    },
    ...columns.filter((column) => column !== position),
  ];
}

/** The lines of a mesh as they are on the screen: in clip coordinates. */
export function screenWires(mesh: Mesh, mode: string, found: VertexOutputs): Wireframe {
  const position = outputColumns(found, mode).find(({ title }) => title === 'gl_Position');
  return wiresOf(mode, mesh, 4, (vertex) => {
    const numbers = position?.numbers(vertex) ?? null;
    return numbers && found.isUpsideDown ? Array.from(numbers, (number, i) => (i === 1 ? -number : number)) : numbers;
  });
}

/** The lowest vertex of an order and the number of those from it to the highest. */
export function rangeOf(order: Uint32Array): { readonly first: number; readonly count: number } {
  let [low, high] = [Number.POSITIVE_INFINITY, -1];
  for (const vertex of order) {
    if (vertex < low) low = vertex;
    if (vertex > high) high = vertex;
  }
  return high < 0 ? { first: 0, count: 0 } : { first: low, count: high - low + 1 };
}

/** What is said about the outputs beside the table. */
export function outputRemarks(found: VertexOutputs, missing: number): readonly string[] {
  if (missing === 0) return found.remarks;
  return [...found.remarks, `${formatCount(missing)} vertices of the order have no position.`];
}
