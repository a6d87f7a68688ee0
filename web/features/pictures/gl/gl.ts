/*
 * Executes the commands of a replay on WebGL2. Which objects there are, and what state is current, the other side knows
 * (`crate/replay`): this is an interpreter without memory but for objects, and for programs that are used again after a new beginning.
 */

import { createBlocks } from './blocks.ts';
import { COMMANDS, type Command } from './commands.ts';
import type { Objects } from './copies.ts';
import { createOutputs, type Outputs } from './outputs.ts';
import { type Pace, workOf } from './pace.ts';
import { createParts, type DrawCost, type Wait } from './parts.ts';
import { createPrograms, type Programs } from './programs.ts';
import { type Reading, readingOf } from './reading.ts';
import { createViews, type Standing, standing, type Views } from './views.ts';

type Gl = WebGL2RenderingContext;

/** What WebGL2 holds of a replay. */
export interface ReplayGl {
  /** Programs, by number. */
  readonly programs: Programs;
  /** What is found out about draws. */
  readonly views: Views;
  /** Captures outputs of vertices. */
  readonly outputs: Outputs;
  /** Reads framebuffers. */
  readonly reading: Reading;
  /** The state that is changed for a moment. */
  readonly now: Standing;
  /** Finds objects. */
  readonly objects: Objects;
  /**
   * Executes commands, and yields whenever the GPU has enough to do: then a portion of the pace is to be taken. `isChecked`: WebGL2 is asked
   * after each whether it has refused it.
   */
  run(words: Uint32Array<ArrayBuffer>, bytes: Uint8Array<ArrayBuffer>, isChecked: boolean): Generator<Wait, void, void>;
  /** The call of the latest command. */
  call(): number;
  /** What WebGL2 has refused since the last time, if it was asked. */
  takeRefused(): Refused[];
  /** Deletes all objects but programs that may be used again, and textures that are `kept`: number and binding of each. */
  reset(kept: Uint32Array): void;
}

/** A command that WebGL2 has refused. */
export interface Refused {
  /** The call that the command is of. */
  readonly call: number;
  /** A sentence with the command and the error. */
  readonly what: string;
  /** It is a draw, which was left out. */
  readonly isMissing: boolean;
}

const ERRORS: Readonly<Record<number, string>> = {
  1280: 'INVALID_ENUM',
  1281: 'INVALID_VALUE',
  1282: 'INVALID_OPERATION',
  1285: 'OUT_OF_MEMORY',
  1286: 'INVALID_FRAMEBUFFER_OPERATION',
};
/** Commands that are listed as refused. */
const MOST_REFUSED = 1000;

/** A parameter that an extension adds. */
const ANISOTROPY = 0x84fe;
/** What textures are bound to. */
const BINDINGS = [0x0de1, 0x8513, 0x806f, 0x8c1a];
/** The parameters of a new texture: filters, wrapping, levels of detail, levels, comparison. */
const PARAMETERS = [
  [0x2801, 0x2702],
  [0x2800, 0x2601],
  [0x2802, 0x2901],
  [0x2803, 0x2901],
  [0x8072, 0x2901],
  [0x813a, -1000],
  [0x813b, 1000],
  [0x813c, 0],
  [0x813d, 1000],
  [0x884c, 0],
  [0x884d, 0x203],
] as const;

/** The unit for uploads. The replay uses those below. */
const SCRATCH = 31;
/** Kinds of objects, in the order of `Kind` in `crate/replay/src/ops.rs`. */
const [TEXTURE, BUFFER, FRAMEBUFFER, RENDERBUFFER, PROGRAM, SAMPLER] = [0, 1, 2, 3, 4, 5] as const;

/**
 * An interpreter of commands on `gl`, without objects yet.
 *
 * `isSoftware`: there is no GPU, so that loops of shaders have to end sooner. `pace` says when the GPU has enough to do.
 */
export function createReplayGl(gl: Gl, isSoftware: boolean, pace: Pace): ReplayGl {
  // Formats that need an extension to be drawn to or filtered.
  for (const name of [
    'EXT_color_buffer_float',
    'EXT_color_buffer_half_float',
    'OES_texture_float_linear',
    'EXT_float_blend',
  ])
    gl.getExtension(name);
  const hasAnisotropy = gl.getExtension('EXT_texture_filter_anisotropic') !== null;
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.pixelStorei(gl.PACK_ALIGNMENT, 1);
  const tables = {
    [TEXTURE]: new Map<number, WebGLTexture>(),
    [BUFFER]: new Map<number, WebGLBuffer>(),
    [FRAMEBUFFER]: new Map<number, WebGLFramebuffer>(),
    [RENDERBUFFER]: new Map<number, WebGLRenderbuffer>(),
    [SAMPLER]: new Map<number, WebGLSampler>(),
  };
  const programs = createPrograms(gl);
  const blocks = createBlocks(gl);
  const made = <T>(table: Map<number, T>, number: number, make: () => T): T | null => {
    if (number === 0) return null;
    let object = table.get(number);
    if (object === undefined) {
      object = make();
      table.set(number, object);
    }
    return object;
  };
  const texture = (number: number) => made(tables[TEXTURE], number, () => gl.createTexture());
  const buffer = (number: number) => made(tables[BUFFER], number, () => gl.createBuffer());
  const framebuffer = (number: number) => made(tables[FRAMEBUFFER], number, () => gl.createFramebuffer());
  const renderbuffer = (number: number) => made(tables[RENDERBUFFER], number, () => gl.createRenderbuffer());
  const sampler = (number: number) => made(tables[SAMPLER], number, () => gl.createSampler());
  const now = standing();
  const bindRead = (number: number) => gl.bindFramebuffer(gl.READ_FRAMEBUFFER, framebuffer(number));
  const bindDraw = (number: number) => gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, framebuffer(number));
  const restore = () => {
    bindRead(now.read);
    bindDraw(now.draw);
  };
  const reading = readingOf(gl, now, { read: bindRead, draw: bindDraw, restore }, { texture, renderbuffer });
  const views = createViews(gl, programs, now, bindRead, reading.pixel, isSoftware);
  const outputs = createOutputs(gl, programs, now);
  let refused: Refused[] = [];
  const refuse = (what: string, isMissing: boolean) => {
    if (refused.length < MOST_REFUSED) refused.push({ call, what, isMissing });
  };
  const parts = createParts(gl, programs, views, now, pace, () =>
    refuse('WebGL2 does not compile a shader of its program', true),
  );
  const edit = (number: number, binding: number) => {
    gl.activeTexture(gl.TEXTURE0 + SCRATCH);
    gl.bindTexture(binding, texture(number));
  };

  // The commands being executed.
  let w = new Uint32Array();
  let f = new Float32Array();
  let s = new Int32Array();
  let data = new Uint8Array();
  let call = 0;
  /** What the next draw takes: as `Op::Cost` has it. */
  let cost: DrawCost = [0, 0, 0, 0, 0];
  /** The draw that is being executed. */
  let drawing: Generator<Wait> | null = null;
  const decoder = new TextDecoder();
  const at = (i: number) => w[i] ?? 0;
  const real = (i: number) => f[i] ?? 0;
  const signed = (i: number) => s[i] ?? 0;
  const text = (i: number) => decoder.decode(data.subarray(at(i), at(i) + at(i + 1)));
  const bytes = (i: number) => data.subarray(at(i), at(i) + at(i + 1));
  /** The typed array that WebGL2 wants for a type. */
  const pixelsAt = (i: number, type: number): ArrayBufferView<ArrayBuffer> => {
    const [from, length] = [data.byteOffset + at(i), at(i + 1)];
    const memory = data.buffer as ArrayBuffer;
    switch (type) {
      case gl.FLOAT:
        return new Float32Array(memory, from, length >> 2);
      case gl.UNSIGNED_INT:
      case gl.UNSIGNED_INT_24_8:
      case gl.UNSIGNED_INT_2_10_10_10_REV:
        return new Uint32Array(memory, from, length >> 2);
      case gl.INT:
        return new Int32Array(memory, from, length >> 2);
      case gl.UNSIGNED_SHORT:
      case gl.HALF_FLOAT:
        return new Uint16Array(memory, from, length >> 1);
      case gl.SHORT:
        return new Int16Array(memory, from, length >> 1);
      case gl.BYTE:
        return new Int8Array(memory, from, length);
      default:
        return new Uint8Array(memory, from, length);
    }
  };

  const run: { readonly [C in Command]: (i: number, n: number) => void } = {
    Mark: (i) => {
      call = at(i);
    },
    Enable: (i) => {
      const [cap, on] = [at(i), at(i + 1) !== 0];
      if (cap === gl.BLEND) now.blend = on;
      else if (cap === gl.DEPTH_TEST) now.depthTest = on;
      else if (cap === gl.STENCIL_TEST) now.stencilTest = on;
      else if (cap === gl.SCISSOR_TEST) now.scissorTest = on;
      if (on) gl.enable(cap);
      else gl.disable(cap);
    },
    Viewport: (i) => {
      now.viewport = [signed(i), signed(i + 1), at(i + 2), at(i + 3)];
      now.area = at(i + 2) * at(i + 3);
      gl.viewport(...now.viewport);
    },
    Scissor: (i) => {
      now.scissor = [signed(i), signed(i + 1), at(i + 2), at(i + 3)];
      gl.scissor(...now.scissor);
    },
    ClearColor: (i) => gl.clearColor(real(i), real(i + 1), real(i + 2), real(i + 3)),
    ClearDepth: (i) => gl.clearDepth(real(i)),
    ClearStencil: (i) => gl.clearStencil(signed(i)),
    ColorMask: (i) => {
      now.colorMask = w.slice(i, i + 4) as unknown as number[];
      gl.colorMask(at(i) !== 0, at(i + 1) !== 0, at(i + 2) !== 0, at(i + 3) !== 0);
    },
    DepthMask: (i) => {
      now.depthMask = at(i) !== 0;
      gl.depthMask(now.depthMask);
    },
    DepthFunc: (i) => gl.depthFunc(at(i)),
    DepthRange: (i) => gl.depthRange(Math.min(real(i), real(i + 1)), Math.max(real(i), real(i + 1))),
    BlendFunc: (i) => {
      now.blendFunc = [at(i), at(i + 1), at(i + 2), at(i + 3)];
      gl.blendFuncSeparate(at(i), at(i + 1), at(i + 2), at(i + 3));
    },
    BlendEquation: (i) => {
      now.blendEquation = [at(i), at(i + 1)];
      gl.blendEquationSeparate(at(i), at(i + 1));
    },
    BlendColor: (i) => gl.blendColor(real(i), real(i + 1), real(i + 2), real(i + 3)),
    CullFace: (i) => gl.cullFace(at(i)),
    FrontFace: (i) => gl.frontFace(at(i)),
    LineWidth: (i) => gl.lineWidth(real(i)),
    PolygonOffset: (i) => gl.polygonOffset(real(i), real(i + 1)),
    StencilFunc: (i) => gl.stencilFuncSeparate(at(i), at(i + 1), signed(i + 2), at(i + 3)),
    StencilOp: (i) => gl.stencilOpSeparate(at(i), at(i + 1), at(i + 2), at(i + 3)),
    StencilMask: (i) => gl.stencilMaskSeparate(at(i), at(i + 1)),
    Clear: (i) => {
      const mask = at(i);
      const rest = mask & ~gl.COLOR_BUFFER_BIT;
      if (mask !== rest) views.fill(call, true, () => gl.clear(gl.COLOR_BUFFER_BIT));
      if (rest !== 0) gl.clear(rest);
    },
    ClearBuffer: (i) => {
      const [kind, which, index] = [at(i), at(i + 1), at(i + 2)];
      views.fill(call, which === gl.COLOR, () => {
        if (kind === 0) gl.clearBufferfv(which, index, f.subarray(i + 3, i + 7));
        else if (kind === 1) gl.clearBufferiv(which, index, s.subarray(i + 3, i + 7));
        else if (kind === 2) gl.clearBufferuiv(which, index, w.subarray(i + 3, i + 7));
        else gl.clearBufferfi(which, index, real(i + 3), signed(i + 4));
      });
    },
    BindFramebuffer: (i) => {
      if (at(i) === gl.READ_FRAMEBUFFER) now.read = at(i + 1);
      else now.draw = at(i + 1);
      gl.bindFramebuffer(at(i), framebuffer(at(i + 1)));
    },
    BindTexture: (i) => {
      gl.activeTexture(gl.TEXTURE0 + at(i));
      gl.bindTexture(at(i + 1), texture(at(i + 2)));
    },
    BindSampler: (i) => gl.bindSampler(at(i), sampler(at(i + 1))),
    TexImage: (i) => {
      edit(at(i), at(i + 1));
      const [target, level, internal, width, height, depth, format, type] = w.subarray(
        i + 2,
        i + 10,
      ) as unknown as number[];
      const content = at(i + 11) > 0 ? pixelsAt(i + 10, type!) : null;
      if (depth! > 0) gl.texImage3D(target!, level!, internal!, width!, height!, depth!, 0, format!, type!, content);
      else gl.texImage2D(target!, level!, internal!, width!, height!, 0, format!, type!, content);
    },
    TexSubImage: (i) => {
      edit(at(i), at(i + 1));
      const [target, level, , , , width, height, depth, format, type] = w.subarray(
        i + 2,
        i + 12,
      ) as unknown as number[];
      const [x, y, z] = [signed(i + 4), signed(i + 5), signed(i + 6)];
      const content = pixelsAt(i + 12, type!);
      if (depth! > 0) gl.texSubImage3D(target!, level!, x, y, z, width!, height!, depth!, format!, type!, content);
      else gl.texSubImage2D(target!, level!, x, y, width!, height!, format!, type!, content);
    },
    TexParameter: (i) => {
      if (at(i + 2) === ANISOTROPY && !hasAnisotropy) return;
      edit(at(i), at(i + 1));
      if (at(i + 4)) gl.texParameterf(at(i + 1), at(i + 2), real(i + 3));
      else gl.texParameteri(at(i + 1), at(i + 2), at(i + 3));
    },
    GenerateMipmap: (i) => {
      edit(at(i), at(i + 1));
      gl.generateMipmap(at(i + 1));
    },
    CopyTexSubImage: (i) => {
      edit(at(i), at(i + 1));
      const [target, level] = [at(i + 2), at(i + 3)];
      const [x, y, z, fromX, fromY] = s.subarray(i + 4, i + 9) as unknown as [number, number, number, number, number];
      const [width, height] = [at(i + 9), at(i + 10)];
      if (at(i + 11)) gl.copyTexSubImage3D(target, level, x, y, z, fromX, fromY, width, height);
      else gl.copyTexSubImage2D(target, level, x, y, fromX, fromY, width, height);
    },
    SamplerParameter: (i) => {
      const object = sampler(at(i));
      if (!object || (at(i + 1) === ANISOTROPY && !hasAnisotropy)) return;
      if (at(i + 3)) gl.samplerParameterf(object, at(i + 1), real(i + 2));
      else gl.samplerParameteri(object, at(i + 1), at(i + 2));
    },
    FramebufferTexture: (i) => {
      const [point, target, object, level, layer] = [at(i), at(i + 1), texture(at(i + 2)), at(i + 3), signed(i + 4)];
      if (layer >= 0) gl.framebufferTextureLayer(gl.DRAW_FRAMEBUFFER, point, object, level, layer);
      else gl.framebufferTexture2D(gl.DRAW_FRAMEBUFFER, point, target, object, level);
    },
    FramebufferRenderbuffer: (i) =>
      gl.framebufferRenderbuffer(gl.DRAW_FRAMEBUFFER, at(i), gl.RENDERBUFFER, renderbuffer(at(i + 1))),
    RenderbufferStorage: (i) => {
      gl.bindRenderbuffer(gl.RENDERBUFFER, renderbuffer(at(i)));
      if (at(i + 1) > 0) gl.renderbufferStorageMultisample(gl.RENDERBUFFER, at(i + 1), at(i + 2), at(i + 3), at(i + 4));
      else gl.renderbufferStorage(gl.RENDERBUFFER, at(i + 2), at(i + 3), at(i + 4));
    },
    DrawBuffers: (i, n) => gl.drawBuffers([...w.subarray(i, i + n)]),
    ReadBuffer: (i) => gl.readBuffer(at(i)),
    BlitFramebuffer: (i) => {
      const [a, b, c, d, e, g, h, j] = s.subarray(i, i + 8) as unknown as number[];
      const [mask, filter] = [at(i + 8), at(i + 9)];
      const isColor = (mask & gl.COLOR_BUFFER_BIT) !== 0;
      views.fill(call, isColor, () => gl.blitFramebuffer(a!, b!, c!, d!, e!, g!, h!, j!, mask, filter));
    },
    BufferData: (i) => {
      blocks.written(at(i), at(i + 2));
      // A target of its own: a buffer of indices may have no other, and what is bound elsewhere stays.
      gl.bindBuffer(gl.COPY_WRITE_BUFFER, buffer(at(i)));
      gl.bufferData(gl.COPY_WRITE_BUFFER, bytes(i + 1), at(i + 3));
    },
    BufferSubData: (i) => {
      blocks.written(at(i));
      gl.bindBuffer(gl.COPY_WRITE_BUFFER, buffer(at(i)));
      gl.bufferSubData(gl.COPY_WRITE_BUFFER, at(i + 1), bytes(i + 2));
    },
    BufferStorage: (i) => {
      blocks.written(at(i), at(i + 1));
      gl.bindBuffer(gl.COPY_WRITE_BUFFER, buffer(at(i)));
      gl.bufferData(gl.COPY_WRITE_BUFFER, at(i + 1), at(i + 2));
    },
    BindUniformBuffer: (i) => blocks.bind(at(i), at(i + 1), buffer(at(i + 1)), at(i + 2), at(i + 3)),
    Program: (i) => programs.make(at(i), text(i + 1), text(i + 3), at(i + 6)),
    UseProgram: (i) => programs.use(at(i)),
    UniformBlock: (i) => programs.block(at(i), text(i + 1), at(i + 3)),
    UniformLocation: (i) => programs.locate(at(i), at(i + 1), text(i + 2)),
    Uniform: (i, n) => programs.set(at(i), at(i + 1), at(i + 2) !== 0, f, s, w, i + 3, n - 3),
    AttribPointer: (i) => {
      const [location, object, size, type] = [at(i), buffer(at(i + 1)), at(i + 2), at(i + 3)];
      const [stride, offset] = [at(i + 5), at(i + 6)];
      gl.bindBuffer(gl.ARRAY_BUFFER, object);
      if (at(i + 7)) gl.vertexAttribIPointer(location, size, type, stride, offset);
      else gl.vertexAttribPointer(location, size, type, at(i + 4) !== 0, stride, offset);
      gl.vertexAttribDivisor(location, at(i + 8));
    },
    AttribValue: (i) => {
      if (at(i + 1) === 0) gl.vertexAttrib4fv(at(i), f.subarray(i + 2, i + 6));
      else if (at(i + 1) === 1) gl.vertexAttribI4iv(at(i), s.subarray(i + 2, i + 6));
      else gl.vertexAttribI4uiv(at(i), w.subarray(i + 2, i + 6));
    },
    AttribEnable: (i) => (at(i + 1) ? gl.enableVertexAttribArray(at(i)) : gl.disableVertexAttribArray(at(i))),
    ElementBuffer: (i) => gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer(at(i))),
    Cost: (i) => {
      cost = [at(i), at(i + 1), at(i + 2), at(i + 3), at(i + 4)];
    },
    DrawArrays: (i) => {
      blocks.complete(programs.blocks());
      drawing = parts(call, at(i), cost, (mode) => {
        if (at(i + 3) === 1) gl.drawArrays(mode, at(i + 1), at(i + 2));
        else gl.drawArraysInstanced(mode, at(i + 1), at(i + 2), at(i + 3));
      });
    },
    DrawElements: (i) => {
      blocks.complete(programs.blocks());
      drawing = parts(call, at(i), cost, (mode) => {
        if (at(i + 4) === 1) gl.drawElements(mode, at(i + 1), at(i + 2), at(i + 3));
        else gl.drawElementsInstanced(mode, at(i + 1), at(i + 2), at(i + 3), at(i + 4));
      });
    },
    Delete: (i) => {
      const [kind, number] = [at(i), at(i + 1)];
      if (kind === PROGRAM) programs.delete(number);
      else remove(kind, number);
    },
  };
  const remove = (kind: number, number: number) => {
    const table = tables[kind as keyof typeof tables];
    const object = table.get(number);
    if (!object) return;
    table.delete(number);
    if (kind === TEXTURE) gl.deleteTexture(object);
    else if (kind === BUFFER) gl.deleteBuffer(object);
    else if (kind === FRAMEBUFFER) gl.deleteFramebuffer(object);
    else if (kind === RENDERBUFFER) gl.deleteRenderbuffer(object);
    else gl.deleteSampler(object);
  };
  /** Gives a texture the parameters of a new one. */
  const asNew = (number: number, binding: number) => {
    edit(number, binding);
    for (const [name, value] of PARAMETERS) gl.texParameteri(binding, name, value);
    if (hasAnisotropy) gl.texParameterf(binding, ANISOTROPY, 1);
  };
  const order = COMMANDS.map((name) => run[name]);
  const check = (command: string) => {
    for (let error = gl.getError(); error !== gl.NO_ERROR; error = gl.getError()) {
      if (error === gl.CONTEXT_LOST_WEBGL) return;
      refuse(
        `WebGL2 refuses ${command}: ${ERRORS[error] ?? error}`,
        /^(Draw(Arrays|Elements)|Clear|Blit)/.test(command),
      );
    }
  };

  return {
    programs,
    views,
    outputs,
    reading,
    now,
    objects: { texture, renderbuffer, restore },
    call: () => call,
    run: function* (words, content, isChecked) {
      w = words;
      f = new Float32Array(words.buffer, words.byteOffset, words.length);
      s = new Int32Array(words.buffer, words.byteOffset, words.length);
      data = content;
      for (let i = 0; i < words.length; ) {
        const head = at(i);
        const n = head >>> 16;
        const command = COMMANDS[head & 0xffff];
        if (!command) return;
        const work = workOf(command, words, i + 1);
        if (work > 0) {
          if (pace.isFull(command, work)) yield 'portion';
          pace.add(command, work);
        }
        order[head & 0xffff]?.(i + 1, n);
        if (drawing) {
          yield* drawing;
          outputs.drawn(call, cost[4]);
        }
        drawing = null;
        if (isChecked) check(command);
        i += 1 + n;
      }
    },
    takeRefused: () => refused.splice(0),
    reset: (kept) => {
      gl.useProgram(null);
      programs.reset();
      blocks.reset();
      views.reset();
      refused = [];
      // What is bound is deleted.
      [now.read, now.draw] = [0, 0];
      const stays = new Map(Array.from({ length: kept.length >> 1 }, (_, i) => [kept[2 * i], kept[2 * i + 1]]));
      for (const number of [...tables[TEXTURE].keys()]) {
        const binding = stays.get(number);
        if (binding === undefined) remove(TEXTURE, number);
        else asNew(number, binding);
      }
      for (const kind of [BUFFER, FRAMEBUFFER, RENDERBUFFER, SAMPLER]) {
        for (const number of [...tables[kind].keys()]) remove(kind, number);
      }
      for (let unit = 0; unit <= SCRATCH; unit += 1) {
        gl.activeTexture(gl.TEXTURE0 + unit);
        for (const binding of BINDINGS) gl.bindTexture(binding, null);
      }
      for (let i = 0; i < 16; i += 1) gl.disableVertexAttribArray(i);
    },
  };
}
