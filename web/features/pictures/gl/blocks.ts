/*
 * Uniform blocks without a buffer, or with one that is too small: drivers draw, and mostly read zeros there, but WebGL2 refuses the draw. So
 * such a block gets a buffer of its own, with zeros after what it has.
 */

type Gl = WebGL2RenderingContext;

/** A uniform block of a program. */
export interface Block {
  /** The index of the buffer that it takes. */
  readonly binding: number;
  /** Bytes that it needs. */
  readonly size: number;
}

/** The buffers of uniform blocks. */
export interface Blocks {
  /** Binds a buffer, from an offset on, with a size or, for 0, all of it. `number`: what the replay calls it. */
  bind(index: number, number: number, buffer: WebGLBuffer | null, offset: number, size: number): void;
  /** A buffer was written to, or has another size from now on. */
  written(number: number, bytes?: number): void;
  /** Completes the blocks that a draw takes. */
  complete(blocks: readonly Block[]): void;
  /** All buffers of the replay were deleted. */
  reset(): void;
}

interface Bound {
  readonly number: number;
  readonly buffer: WebGLBuffer | null;
  readonly offset: number;
  readonly size: number;
}

/** Binds buffers on `gl`; none is bound yet. */
export function createBlocks(gl: Gl): Blocks {
  const bound = new Map<number, Bound>();
  const sizes = new Map<number, number>();
  /** Buffers of our own, by index, and the indices where they are bound. */
  const own = new Map<number, { readonly buffer: WebGLBuffer; readonly size: number }>();
  const replaced = new Set<number>();
  /** Buffers that were copied and have not changed since, by index. */
  const copied = new Map<number, Bound>();

  const put = (index: number, { buffer, offset, size }: Bound) => {
    if (size > 0) gl.bindBufferRange(gl.UNIFORM_BUFFER, index, buffer, offset, size);
    else gl.bindBufferBase(gl.UNIFORM_BUFFER, index, buffer);
    replaced.delete(index);
  };
  const replace = (index: number, size: number, from: Bound | undefined, available: number) => {
    let { buffer, size: has } = own.get(index) ?? { buffer: null, size: 0 };
    const isNew = !buffer || has < size;
    if (isNew) {
      buffer ??= gl.createBuffer();
      has = size;
      own.set(index, { buffer, size: has });
    }
    if (isNew || (from ? copied.get(index) !== from : copied.has(index))) {
      gl.bindBuffer(gl.COPY_WRITE_BUFFER, buffer);
      gl.bufferData(gl.COPY_WRITE_BUFFER, has, gl.DYNAMIC_DRAW);
      copied.delete(index);
      if (from && available > 0) {
        gl.bindBuffer(gl.COPY_READ_BUFFER, from.buffer);
        gl.copyBufferSubData(gl.COPY_READ_BUFFER, gl.COPY_WRITE_BUFFER, from.offset, 0, available);
        copied.set(index, from);
      }
    }
    if (!replaced.has(index)) gl.bindBufferBase(gl.UNIFORM_BUFFER, index, buffer);
    replaced.add(index);
  };

  return {
    bind: (index, number, buffer, offset, size) => {
      const it = { number, buffer, offset, size };
      bound.set(index, it);
      put(index, it);
    },
    written: (number, bytes) => {
      if (bytes !== undefined) sizes.set(number, bytes);
      for (const [index, from] of copied) if (from.number === number) copied.delete(index);
    },
    complete: (blocks) => {
      for (const { binding, size } of blocks) {
        const from = bound.get(binding);
        const rest = from?.buffer ? Math.max(0, (sizes.get(from.number) ?? 0) - from.offset) : 0;
        const available = from && from.size > 0 ? Math.min(from.size, rest) : rest;
        if (available < size) replace(binding, size, from, available);
        else if (from && replaced.has(binding)) put(binding, from);
      }
    },
    reset: () => {
      for (const { buffer } of own.values()) gl.deleteBuffer(buffer);
      for (const all of [bound, sizes, own, replaced, copied]) all.clear();
    },
  };
}
