import { formatCount, formatCounted, plural } from '../../base/format.ts';
import type { HeldBytes } from '../../base/survey_protocol.ts';
import type { GlBuffer, GlDraw, GlInput } from './gl_state_protocol.ts';
import { elementOf, numberType } from './vertex_types.ts';

/** Where the bytes of a draw come from. null if they cannot be read. */
export interface MeshBytes {
  buffer(buffer: GlBuffer): Promise<HeldBytes | null>;
  /** The argument of a call. */
  blob(call: number): Promise<Uint8Array | null>;
}

/** The vertices of a draw in their order, and what its inputs have for them. */
export interface Mesh {
  /** The vertices in the order of the draw, without primitive restarts. */
  readonly order: Uint32Array;
  /** Where primitives restart in the order. The last is its end. */
  readonly parts: readonly number[];
  /** `triangles`, and how many of them. */
  readonly primitives: string;
  readonly inputs: readonly MeshInput[];
  /** The input that has most likely the positions, or -1. */
  readonly positions: number;
  /** Instances that can be told apart: 1 if all have the same inputs. */
  readonly instances: number;
  /** Instances that are drawn. */
  readonly drawn: number;
  /** What is not shown, and why. */
  readonly remarks: readonly string[];
}

/** An input with its bytes. */
export interface MeshInput {
  readonly input: GlInput;
  readonly components: number;
  /** Vertices, or elements of instances, for which there are bytes. */
  readonly count: number;
  /** The numbers of a vertex of an instance, from 0; null if there are no bytes for it. The array is used again. */
  readonly at: (vertex: number, instance: number) => Float64Array | null;
}

/** What is drawn as lines. */
export interface Wireframe {
  /** The coordinates of each vertex of the order. */
  readonly positions: Float32Array;
  /** Coordinates of a vertex: three, or four with w. */
  readonly components: 3 | 4;
  /** Pairs of places in the order; of points the places themselves. */
  readonly edges: Uint32Array;
  readonly arePoints: boolean;
  /** null if no vertex has a position. */
  readonly bounds: Bounds | null;
  /** Vertices without a position. */
  readonly missing: number;
}

/** The box around all positions of a mesh: its corners of the lowest and the highest coordinates. */
export interface Bounds {
  readonly low: readonly [number, number, number];
  readonly high: readonly [number, number, number];
}

/** Limit for the vertices that are shown: two million triangles. */
export const MOST_VERTICES = 6_000_000;
/** Limit for the parts of an indirect draw that are read. */
const MOST_PARTS = 1 << 16;

/** Reads what a draw takes its vertices from. `call` is the draw. */
export async function meshOf(draw: GlDraw, call: number, bytes: MeshBytes): Promise<Mesh> {
  const remarks: string[] = [];
  const fetched = new Map<string, Promise<Uint8Array | null>>();
  const ofBuffer = async (buffer: GlBuffer) => {
    const contents = await bytes.buffer(buffer);
    if (contents) remarks.push(...doubts(buffer, contents));
    return contents && contents.bytes;
  };
  const bytesOf = (buffer: GlBuffer | null, from: number | null) => {
    if (!buffer && from === null) return Promise.resolve(null);
    const key = buffer ? `${buffer.name} ${buffer.sized}` : `call ${from}`;
    const known = fetched.get(key) ?? (buffer ? ofBuffer(buffer) : bytes.blob(from!));
    fetched.set(key, known);
    return known;
  };
  const { ranges, instances, baseInstance } = draw.indirect
    ? indirect(draw, viewOf(await bytesOf(draw.indirect.buffer, null)), remarks)
    : draw;
  const indices = draw.indexed > 0 ? viewOf(await bytesOf(draw.isOwn ? null : draw.indices, call)) : null;
  const { order, parts } = orderOf(draw, ranges, indices, remarks);
  const inputs = await Promise.all(
    draw.inputs.map(async (input) => inputOf(input, viewOf(await bytesOf(input.buffer, input.call)), baseInstance)),
  );
  const differ = draw.inputs.some(({ divisor }) => divisor > 0);
  if (instances > 1 && !differ) remarks.push(`${formatCount(instances)} instances are drawn, with the same inputs.`);
  return {
    order,
    parts,
    primitives: primitivesOf(draw.mode, parts),
    inputs,
    positions: positionsOf(draw.inputs),
    instances: differ ? Math.max(1, instances) : 1,
    drawn: Math.max(1, instances),
    remarks,
  };
}

/** Says which bytes of a buffer are not in the trace. */
function doubts({ name }: GlBuffer, { unknown, isExposed }: HeldBytes): string[] {
  const sentences: string[] = [];
  if (unknown > 0) {
    sentences.push(
      `Buffer ${name} has ${formatCount(unknown)} unknown ${plural(unknown, 'byte')}, taken for 0: ` +
        'the GPU may have written there, or nothing was uploaded.',
    );
  }
  if (isExposed) sentences.push(`Shaders can write to buffer ${name} or a source of it: what they wrote is unknown.`);
  return sentences;
}

function viewOf(bytes: Uint8Array | null): DataView {
  return bytes ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new DataView(new ArrayBuffer(0));
}

/** The ranges that a buffer has: OpenGL 4.6, 10.4 `DrawArraysIndirectCommand` and `DrawElementsIndirectCommand`. */
function indirect(
  draw: GlDraw,
  view: DataView,
  remarks: string[],
): Pick<GlDraw, 'ranges' | 'instances' | 'baseInstance'> {
  const { count, offset, stride } = draw.indirect!;
  const size = draw.indexed > 0 ? 20 : 16;
  const bytes = numberType(draw.indexed)?.bytes ?? 1;
  const ranges: [number, number, number][] = [];
  let instances = 0;
  const bases = new Set<number>();
  for (let i = 0; i < Math.min(count, MOST_PARTS); i += 1) {
    const at = offset + i * (stride || size);
    if (at < 0 || at + size > view.byteLength) break;
    const [vertices, copies, first] = [0, 4, 8].map((part) => view.getUint32(at + part, true)) as [
      number,
      number,
      number,
    ];
    const base = draw.indexed > 0 ? view.getInt32(at + 12, true) : 0;
    ranges.push([draw.indexed > 0 ? first * bytes : first, vertices, base]);
    instances = Math.max(instances, copies);
    bases.add(view.getUint32(at + size - 4, true));
  }
  if (ranges.length < count) {
    remarks.push(
      `${formatCount(count - ranges.length)} of ${formatCounted(count, 'part')} are not in the buffer of the trace: ` +
        'what the GPU wrote there is unknown.',
    );
  }
  const [baseInstance = 0] = bases;
  if (bases.size > 1 && draw.inputs.some(({ divisor }) => divisor > 0)) {
    remarks.push(
      `Parts have different base instances; inputs that differ by instance are shown from ${formatCount(baseInstance)} on.`,
    );
  }
  return { ranges, instances, baseInstance };
}

/** The vertices of all ranges, in order. */
function orderOf(draw: GlDraw, ranges: GlDraw['ranges'], indices: DataView | null, remarks: string[]) {
  const counts = ranges.map(([, count]) => Math.max(0, count));
  const all = counts.reduce((sum, count) => sum + count, 0);
  const order = new Uint32Array(Math.min(all, MOST_VERTICES));
  if (all > MOST_VERTICES) {
    remarks.push(`The draw has ${formatCount(all)} vertices; the first ${formatCount(MOST_VERTICES)} are shown.`);
  }
  const type = numberType(draw.indexed);
  const parts: number[] = [];
  let at = 0;
  let lost = 0;
  const cut = () => {
    if (at > (parts.at(-1) ?? 0)) parts.push(at);
  };
  for (const [i, [from, , base]] of ranges.entries()) {
    const count = Math.min(counts[i]!, order.length - at);
    if (!indices) {
      for (let k = 0; k < count; k += 1) order[at + k] = Math.max(0, from) + k;
      at += count;
    } else if (type) {
      const inside = from < 0 ? 0 : Math.max(0, Math.min(count, Math.floor((indices.byteLength - from) / type.bytes)));
      lost += count - inside;
      for (let k = 0; k < inside; k += 1) {
        const index = type.read(indices, from + k * type.bytes);
        if (index === draw.restart) cut();
        else {
          order[at] = index + base;
          at += 1;
        }
      }
    }
    cut();
  }
  if (lost > 0) remarks.push(`${formatCount(lost)} of ${formatCount(all)} indices lie outside their buffer.`);
  return { order: order.subarray(0, at), parts };
}

function inputOf(input: GlInput, view: DataView, baseInstance: number): MeshInput {
  const element = elementOf(input);
  if (!element) return { input, components: 0, count: 0, at: () => null };
  const stride = input.stride || element.bytes;
  // A pointer to memory of the program: its bytes begin there.
  const offset = input.buffer ? Math.max(0, input.offset) : 0;
  const count = Math.max(0, Math.floor((view.byteLength - offset - element.bytes) / stride) + 1);
  const into = new Float64Array(element.count);
  return {
    input,
    components: element.count,
    count,
    at: (vertex, instance) => {
      // All vertices of an instance have the same element: OpenGL 4.6, 10.3.4 and 10.4.
      const place = input.divisor > 0 ? Math.floor(instance / input.divisor) + baseInstance : vertex;
      if (place < 0 || place >= count) return null;
      element.read(view, offset + place * stride, into);
      return into;
    },
  };
}

const AXES = [0, 1, 2] as const;

/** What a program calls positions. */
const NAMED = [/position/i, /vert/i, /pos/i, /coord/i];

/** The input that has positions: by its name, else that of old, else the first. -1 without any. */
export function positionsOf(inputs: readonly GlInput[]): number {
  const own = inputs.map(({ title, divisor }) => (divisor > 0 ? '' : title));
  const legacy = own.indexOf('GL_VERTEX_ARRAY');
  if (legacy >= 0) return legacy;
  for (const name of NAMED) {
    // `0 a_position`; texture coordinates are not positions.
    const found = own.findIndex((title) => title.includes(' ') && name.test(title) && !/(?<!ver)tex|uv/i.test(title));
    if (found >= 0) return found;
  }
  return own.findIndex((title) => title !== '' && !title.startsWith('GL_'));
}

/** How modes make primitives of vertices: what one is called, and their number. */
const PRIMITIVES: Readonly<Record<string, readonly [noun: string, count: (vertices: number) => number]>> = {
  GL_POINTS: ['point', (n) => n],
  GL_LINES: ['line', (n) => Math.floor(n / 2)],
  GL_LINE_STRIP: ['line', (n) => Math.max(0, n - 1)],
  GL_LINE_LOOP: ['line', (n) => (n < 2 ? 0 : n)],
  GL_TRIANGLES: ['triangle', (n) => Math.floor(n / 3)],
  GL_TRIANGLE_STRIP: ['triangle', (n) => Math.max(0, n - 2)],
  GL_TRIANGLE_FAN: ['triangle', (n) => Math.max(0, n - 2)],
  GL_QUADS: ['quad', (n) => Math.floor(n / 4)],
  GL_QUAD_STRIP: ['quad', (n) => Math.max(0, Math.floor(n / 2) - 1)],
  GL_POLYGON: ['polygon', (n) => (n < 3 ? 0 : 1)],
  GL_LINES_ADJACENCY: ['line', (n) => Math.floor(n / 4)],
  GL_LINE_STRIP_ADJACENCY: ['line', (n) => Math.max(0, n - 3)],
  GL_TRIANGLES_ADJACENCY: ['triangle', (n) => Math.floor(n / 6)],
  GL_TRIANGLE_STRIP_ADJACENCY: ['triangle', (n) => Math.max(0, Math.floor(n / 2) - 2)],
};

function primitivesOf(mode: string, parts: readonly number[]): string {
  const [noun, count] = PRIMITIVES[mode] ?? ['control point', (n: number) => n];
  const sum = parts.reduce((total, end, i) => total + count(end - (parts[i - 1] ?? 0)), 0);
  return `${formatCount(sum)} ${plural(sum, noun)}`;
}

/** The lines of an instance of a mesh, with the positions of one of its inputs. */
export function wireframeOf(mode: string, mesh: Mesh, positions: number, instance: number): Wireframe {
  const input = mesh.inputs[positions];
  return wiresOf(mode, mesh, 3, (vertex) => input?.at(vertex, instance) ?? null);
}

/** The lines of a mesh, with the positions of its vertices. Those that are missing are 0. */
export function wiresOf(
  mode: string,
  { order, parts }: Pick<Mesh, 'order' | 'parts'>,
  components: 3 | 4,
  at: (vertex: number) => ArrayLike<number> | null,
): Wireframe {
  const found = new Float32Array(components * order.length);
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  let missing = 0;
  for (let i = 0; i < order.length; i += 1) {
    const numbers = at(order[i]!);
    if (!numbers || !AXES.every((axis) => Number.isFinite(numbers[axis] ?? 0))) {
      found[components * i] = Number.NaN;
      missing += 1;
      continue;
    }
    if (components === 4) found[4 * i + 3] = numbers[3] ?? 1;
    for (const axis of AXES) {
      const number = numbers[axis] ?? 0;
      found[components * i + axis] = number;
      low[axis] = Math.min(low[axis]!, number);
      high[axis] = Math.max(high[axis]!, number);
    }
  }
  const known = PRIMITIVES[mode];
  const arePoints = !known || mode === 'GL_POINTS';
  // A list of triangles has most: three edges for three vertices.
  const edges = new Uint32Array(arePoints ? order.length : 2 * order.length + 8);
  let count = 0;
  const has = (i: number) => !Number.isNaN(found[components * i]!);
  const edge = (a: number, b: number) => {
    if (!has(a) || !has(b)) return;
    edges[count] = a;
    edges[count + 1] = b;
    count += 2;
  };
  for (const [i, end] of parts.entries()) {
    const from = parts[i - 1] ?? 0;
    if (!arePoints) edgesOf(mode, from, end, edge);
    else {
      for (let k = from; k < end; k += 1) {
        if (!has(k)) continue;
        edges[count] = k;
        count += 1;
      }
    }
  }
  const bounds = missing < order.length ? { low, high } : null;
  return { positions: found, components, edges: edges.subarray(0, count), arePoints, bounds, missing };
}

/** The edges of the primitives from one place of the order to another: OpenGL 4.6, 10.1. */
function edgesOf(mode: string, from: number, end: number, edge: (a: number, b: number) => void): void {
  const round = (...corners: readonly number[]) => {
    for (const [k, corner] of corners.entries()) edge(corner, corners[(k + 1) % corners.length]!);
  };
  /** Calls `each` for every group of `size` vertices that begins every `step`. */
  const every = (step: number, size: number, each: (at: number) => void) => {
    for (let at = from; at + size <= end; at += step) each(at);
  };
  switch (mode) {
    case 'GL_LINES':
      every(2, 2, (at) => edge(at, at + 1));
      break;
    case 'GL_LINE_STRIP':
      every(1, 2, (at) => edge(at, at + 1));
      break;
    case 'GL_LINE_LOOP':
    case 'GL_POLYGON':
      every(1, 2, (at) => edge(at, at + 1));
      if (end - from > 2) edge(end - 1, from);
      break;
    case 'GL_TRIANGLES':
      every(3, 3, (at) => {
        edge(at, at + 1);
        edge(at + 1, at + 2);
        edge(at + 2, at);
      });
      break;
    case 'GL_TRIANGLE_STRIP':
      if (end - from > 2) edge(from, from + 1);
      every(1, 3, (at) => {
        edge(at, at + 2);
        edge(at + 1, at + 2);
      });
      break;
    case 'GL_TRIANGLE_FAN':
      if (end - from > 2) edge(from, from + 1);
      every(1, 3, (at) => {
        edge(from, at + 2);
        edge(at + 1, at + 2);
      });
      break;
    case 'GL_QUADS':
      every(4, 4, (at) => round(at, at + 1, at + 2, at + 3));
      break;
    case 'GL_QUAD_STRIP':
      if (end - from > 3) edge(from, from + 1);
      every(2, 4, (at) => {
        edge(at, at + 2);
        edge(at + 1, at + 3);
        edge(at + 2, at + 3);
      });
      break;
    case 'GL_LINES_ADJACENCY':
      every(4, 4, (at) => edge(at + 1, at + 2));
      break;
    case 'GL_LINE_STRIP_ADJACENCY':
      every(1, 4, (at) => edge(at + 1, at + 2));
      break;
    case 'GL_TRIANGLES_ADJACENCY':
      every(6, 6, (at) => round(at, at + 2, at + 4));
      break;
    case 'GL_TRIANGLE_STRIP_ADJACENCY':
      every(2, 6, (at) => round(at, at + 2, at + 4));
      break;
    default:
  }
}
