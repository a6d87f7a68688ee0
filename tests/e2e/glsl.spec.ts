import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { pictured } from '../alike.mjs';
import { SWIFTSHADER } from './gpu.ts';
import { fixture, open, test } from './page.ts';
import { addToWorkers, WHOLE } from './replay.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus');
const GRAPHICS = join(import.meta.dirname, '../fixtures/graphics');

test.use({ launchOptions: SWIFTSHADER });
test.setTimeout(240_000);

/** Traces of programs with shaders of their own. */
const TRACES = [
  'apitrace/fetched/glxsimple',
  'apitrace/fetched/tri_glsl',
  'apitrace/modern/gtk4_widgets',
  'apitrace/recorded/glmark2_medium',
  'apitrace/recorded/glmix_3f',
  'apitrace/recorded/glmix_crash_in_app',
  'programs/chromium-bsu',
  'programs/kitty',
  'programs/lugaru',
  'programs/qtquick6',
  'programs/supertux',
];

/** Programs are compiled when something is drawn with them. What is drawn is of no interest here. */
const COMPILES_ONLY = `{
  const sources = (globalThis.shaderSources = []);
  const prototype = WebGL2RenderingContext.prototype;
  const { shaderSource } = prototype;
  prototype.shaderSource = function (shader, text) {
    sources.push(text);
    return shaderSource.call(this, shader, text);
  };
  for (const name of ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced', 'drawRangeElements'])
    prototype[name] = () => undefined;
}`;

/** Opens a trace and compiles all programs that it draws with. Returns the translated shaders, and what is wrong with some. */
async function compiled(page: Page, path: string): Promise<{ sources: string[]; failures: string[] }> {
  await addToWorkers(page, COMPILES_ONLY);
  await page.goto('./');
  await open(page, path);
  const answer = await pictured(page, Number.MAX_SAFE_INTEGER, WHOLE);
  const failures = await answer.evaluate(({ failures, error }) => [
    ...failures.map(({ call, log }) => `${call}: ${log}`),
    ...(error ? [error] : []),
  ]);
  const sources: string[] = [];
  const shadersOf = () => (globalThis as { shaderSources?: readonly string[] }).shaderSources ?? [];
  // Others may end meanwhile.
  for (const worker of page.workers()) sources.push(...(await worker.evaluate(shadersOf).catch(() => [])));
  return { sources, failures };
}

for (const trace of TRACES)
  test(`WebGL2 compiles all shaders of ${trace}`, { tag: '@webgl' }, async ({ page }) => {
    const path = join(CORPUS, `${trace}.trace`);
    test.skip(!existsSync(path), `${trace} is missing`);
    const { sources, failures } = await compiled(page, path);
    expect(failures).toEqual([]);
    expect(sources.length).toBeGreaterThan(0);
  });

interface Expressions {
  /** Types and components by name. */
  readonly uniforms: Readonly<Record<string, readonly [string, readonly number[]]>>;
  /** In the order of the functions `e0`, `e1`, … of the trace. */
  readonly rows: readonly { readonly version: number; readonly expression: string; readonly values: number[] }[];
}

/** What fragment shaders write to a pixel: null for one that is not compiled. */
function evaluated(page: Page, sources: readonly string[], uniforms: Expressions['uniforms']) {
  return page.evaluate(
    ([sources, uniforms]) => {
      const gl = new OffscreenCanvas(1, 1).getContext('webgl2')!;
      gl.getExtension('EXT_color_buffer_float');
      gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, 1, 1);
      gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
      const texture = gl.getParameter(gl.TEXTURE_BINDING_2D);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
      gl.bindTexture(gl.TEXTURE_2D, null);
      const shader = (kind: number, source: string) => {
        const made = gl.createShader(kind)!;
        gl.shaderSource(made, source);
        gl.compileShader(made);
        return made;
      };
      const vertex = shader(
        gl.VERTEX_SHADER,
        '#version 300 es\nvoid main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1); }',
      );
      return sources.map((source) => {
        const program = gl.createProgram()!;
        gl.attachShader(program, vertex);
        const fragment = shader(gl.FRAGMENT_SHADER, source);
        gl.attachShader(program, fragment);
        gl.linkProgram(program);
        if (!gl.getProgramParameter(program, gl.LINK_STATUS))
          return `${gl.getShaderInfoLog(fragment)}${gl.getProgramInfoLog(program)}`;
        gl.useProgram(program);
        // The alpha test is off.
        gl.uniform1i(gl.getUniformLocation(program, '_af'), 7);
        for (const [name, [kind, values]] of Object.entries(uniforms)) {
          const place = gl.getUniformLocation(program, name);
          const size = values.length as 1 | 3;
          if (kind === 'mat2') gl.uniformMatrix2fv(place, false, values);
          else if (kind.startsWith('u')) gl[`uniform${size}uiv`](place, values);
          else if (/^[ib]/.test(kind)) gl[`uniform${size}iv`](place, values);
          else gl[`uniform${size}fv`](place, values);
        }
        gl.drawArrays(gl.TRIANGLES, 0, 3);
        const pixel = new Float32Array(4);
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.FLOAT, pixel);
        return [...pixel];
      });
    },
    [sources, uniforms] as const,
  );
}

test('expressions of all versions have the values that Mesa computes', { tag: '@webgl' }, async ({ page }) => {
  const { uniforms, rows }: Expressions = JSON.parse(readFileSync(join(GRAPHICS, 'expressions.json'), 'utf8'));
  const { sources, failures } = await compiled(page, fixture('graphics/expressions.trace'));
  expect(failures).toEqual([]);
  const ordered = rows.map((_, i) => sources.find((source) => source.includes(`vec4 e${i}(`)) ?? '');
  const found = await evaluated(page, ordered, uniforms);
  const wrong = rows.flatMap(({ version, expression, values }, i) => {
    const value = found[i]!;
    const near = (wanted: number, got: number) =>
      Math.abs(wanted - got) <= (Number.isInteger(wanted) ? 0 : 1e-5 * Math.abs(wanted));
    const good = typeof value !== 'string' && values.every((wanted, k) => near(wanted, value[k]!));
    return good ? [] : [`${version}: ${expression} is ${value}, not ${values}`];
  });
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(200);
});
