// `node scripts/record_programs.mjs [--only NAME] [--seconds N] [--keep] [--mesa] [--write] [--traces FOLDER]`: records programs of Debian
// under apitrace, and compares their pictures in the page with those of native replay. Frames that are cut out (`unspool cut
// --self-contained`) are compared with the whole trace, in native replay and in the page. Run by hand and before releases. Prints a table;
// `--write` puts it into docs/graphics.md. `--keep` takes the recordings of an earlier run. With `--mesa` the browser draws with Mesa as
// well: what differs then is not due to how SwiftShader rounds. `--traces` takes the traces of a folder instead of programs.
//
// Needs `dist/` (`npm run build`), apitrace and Xvfb. Programs that are missing are installed, which takes root.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { chromium } from '@playwright/test';
import { compare, isAlike, pictured } from '../tests/alike.mjs';
import { serve } from '../tests/perf/serve.mjs';
import { fail, find, findChromium, must, options, root, say } from './lib.mjs';

/** @import { Browser, JSHandle, Page } from '@playwright/test' */
/** @import { Pictured } from '../tests/alike.mjs' */
/**
 * What is recorded: packages, command in a folder with files of ours, API that is traced, seconds, environment; or a trace.
 *
 * @typedef {object} Program
 * @property {string} name
 * @property {string} gl The version of OpenGL.
 * @property {string[]} packages
 * @property {string} [api]
 * @property {string[]} [run]
 * @property {number} [seconds]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {Record<string, string>} [files]
 * @property {string} [trace]
 */
/**
 * A frame in the answer of `unspool frame-list`.
 *
 * @typedef {{ firstCall: number, lastCall: number, calls: number, draws: number, uploaded: number, ended: boolean }} Frame
 */
/** @typedef {{ frames: number[], draws: number[] }} Calls */
/**
 * What is cut out: refused, or a trace with its last call and the picture of that.
 *
 * @typedef {{ call: number, refused: string, file?: undefined, end?: undefined, png?: undefined } |
 *   { call: number, file: string, end: number, png: string, refused?: undefined }} Cut
 */
/** @typedef {{ unshown: number, draws: number, reasons: { reason: string, count: number }[] }} Coverage */
/** @typedef {{ frames: number, draws: number, cuts: number }} Counts */
/**
 * A row of the table: why a program has no pictures, or what came of them. Times are in milliseconds.
 *
 * @typedef {{ program: Program, calls: number } &
 *   (({ why: string } & { [each in keyof Comparison]?: undefined }) | ({ why?: undefined } & Comparison))} Row
 */
/** @typedef {{ alike: Counts, of: Counts, coverage: Coverage | null, slowest: number, first: number }} Comparison */

/** Frames and draws of a program that are compared, most bytes that a recording uploads, and milliseconds that a picture may take. */
const FRAMES = 8;
const DRAWS = 10;
const MOST_BYTES = 256 << 20;
const PATIENCE_MS = 120_000;
/** Milliseconds between what a user does: many programs draw nothing otherwise. */
const INPUT_MS = 250;
/** Decibels that are enough for a frame and for a draw. */
const LEAST = { frames: 40, draws: 35 };

/** A scene of boxes for Godot: the engine has none of its own. */
const SCENE = {
  'project.godot': 'config_version=4\n[application]\nconfig/name="Scene"\nrun/main_scene="res://main.tscn"\n',
  'main.tscn': `[gd_scene load_steps=5 format=2]
[sub_resource type="CubeMesh" id=1]
[sub_resource type="SphereMesh" id=2]
[sub_resource type="PlaneMesh" id=3]
size = Vector2( 12, 12 )
[sub_resource type="SpatialMaterial" id=4]
albedo_color = Color( 0.2, 0.5, 0.9, 1 )
metallic = 0.6
roughness = 0.3
[node name="Main" type="Spatial"]
[node name="Camera" type="Camera" parent="."]
transform = Transform( 1, 0, 0, 0, 0.87, 0.5, 0, -0.5, 0.87, 0, 4, 7 )
[node name="Light" type="DirectionalLight" parent="."]
transform = Transform( 1, 0, 0, 0, 0.5, 0.87, 0, -0.87, 0.5, 0, 5, 0 )
shadow_enabled = true
[node name="Floor" type="MeshInstance" parent="."]
mesh = SubResource( 3 )
[node name="Box" type="MeshInstance" parent="."]
transform = Transform( 1, 0, 0, 0, 1, 0, 0, 0, 1, -1.5, 1, 0 )
mesh = SubResource( 1 )
[node name="Ball" type="MeshInstance" parent="."]
transform = Transform( 1, 0, 0, 0, 1, 0, 0, 0, 1, 1.5, 1, 0 )
mesh = SubResource( 2 )
material/0 = SubResource( 4 )
`,
};
/** RetroArch draws its menu with OpenGL 3.3. */
const RETROARCH = {
  'retroarch.cfg':
    'video_driver = "glcore"\nmenu_driver = "ozone"\naudio_driver = "null"\ninput_driver = "x"\nvideo_fullscreen = "false"\n' +
    'assets_directory = "/usr/share/libretro/assets"\n',
};
/** @type {Program[]} */
const PROGRAMS = [
  {
    name: 'colobot',
    gl: '3.3 core',
    packages: ['colobot'],
    run: ['colobot', '-graphics', 'gl33', '-glversion', '3.3', '-glprofile', 'core'],
    seconds: 40,
  },
  {
    name: 'godot3',
    gl: '3.3 core',
    packages: ['godot3'],
    run: ['godot3', '--path', '.', '--video-driver', 'GLES3', '--audio-driver', 'Dummy'],
    files: SCENE,
    seconds: 30,
  },
  {
    name: 'retroarch',
    gl: '3.3',
    packages: ['retroarch', 'retroarch-assets'],
    run: ['retroarch', '--menu', '--config', 'retroarch.cfg'],
    files: RETROARCH,
    seconds: 20,
  },
  {
    name: 'planetblupi',
    gl: 'ES 2.0',
    packages: ['planetblupi'],
    run: ['planetblupi'],
    env: { SDL_RENDER_DRIVER: 'opengles2' },
    seconds: 20,
  },
  {
    name: 'weston',
    gl: 'ES 3',
    packages: ['weston'],
    api: 'egl',
    run: ['weston', '--backend=x11-backend.so', '--width=800', '--height=600'],
    seconds: 15,
  },
  {
    name: 'kalgebra',
    gl: 'Qt Quick',
    packages: ['kalgebra', 'dbus'],
    run: ['dbus-run-session', 'kalgebra'],
    env: { QTWEBENGINE_DISABLE_SANDBOX: '1' },
    seconds: 20,
  },
  {
    name: 'gnome-text-editor',
    gl: 'GTK 4',
    packages: ['gnome-text-editor', 'dbus'],
    run: ['dbus-run-session', 'gnome-text-editor'],
    seconds: 25,
  },
  { name: 'teeworlds', gl: '1.x', packages: ['teeworlds'], run: ['teeworlds'], seconds: 20 },
  { name: 'torcs', gl: '1.x', packages: ['torcs'], run: ['torcs'], seconds: 20 },
  { name: 'foobillardplus', gl: '1.x', packages: ['foobillardplus'], run: ['foobillardplus'], seconds: 20 },
];

const given = options(['only', 'seconds', 'traces'], ['keep', 'mesa', 'write']);
const folder = join(root, 'target', 'programs');
const unspool = join(root, 'target', 'release', 'unspool');
/** @type {(command: string, ...args: string[]) => string} */
const read = (command, ...args) =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'ignore'] });
const all = given.traces ? tracesIn(given.traces) : PROGRAMS;
const wanted = all.filter(({ name }) => given.only === undefined || given.only === name);
if (wanted.length === 0) fail(`--only takes one of ${all.map(({ name }) => name).join(', ')}.`);
if (!existsSync(join(root, 'dist', 'index.html'))) fail('dist/ is missing: npm run build makes it.');
await must('cargo', ['build', '--release', '--quiet', '--locked', '--package', 'unspool-cli']);
await install();
mkdirSync(folder, { recursive: true });
const screen = await display();
const [chrome, served] = [/** @type {string} */ (findChromium()), await serve(join(root, 'dist'))];
const driver = given.mesa
  ? ['--use-gl=angle', '--use-angle=gl-egl', '--ignore-gpu-blocklist']
  : ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
const args = ['--no-sandbox', ...driver, '--disable-quic', '--no-first-run'];
/** @type {Row[]} */
const rows = [];
try {
  for (const program of wanted) rows.push(await tried(program));
} finally {
  screen.end();
  served.stop();
}
const table = tableOf(rows);
console.log(`\n${table}`);
writeFileSync(join(folder, 'table.md'), table);
if (given.write) write(table);

/**
 * The traces of a folder, as programs that are recorded.
 *
 * @param {string} path
 * @returns {Program[]}
 */
function tracesIn(path) {
  const names = readdirSync(path).filter((name) => name.endsWith('.trace'));
  return names.map((name) => {
    const trace = join(path, name);
    const calls = read('apitrace', 'dump', '--color=never', '--calls=0-300', trace);
    return { name: basename(name, '.trace'), gl: '', packages: [], api: /^\d+ egl/m.test(calls) ? 'egl' : 'gl', trace };
  });
}

/** Installs what is missing. */
async function install() {
  const needed = ['apitrace', 'xvfb', 'xdotool', ...wanted.flatMap(({ packages }) => packages)];
  /** @param {string} name */
  const has = (name) =>
    spawnSync('dpkg-query', ['--status', name], { encoding: 'utf8' }).stdout.includes('ok installed');
  const missing = needed.filter((name) => !has(name));
  if (missing.length === 0) return;
  const sudo = process.getuid?.() === 0 ? [] : ['sudo'];
  const [program, ...rest] = [...sudo, 'apt-get', 'install', '-y', '--no-install-recommends', ...missing];
  await must(program, rest, { env: { DEBIAN_FRONTEND: 'noninteractive' } });
}

/**
 * A screen of its own. Resolves once it is there.
 *
 * @returns {Promise<{ name: string, end: () => void }>}
 */
function display() {
  const child = spawn(/** @type {string} */ (find('Xvfb')), ['-displayfd', '1', '-screen', '0', '1024x768x24'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.stdout.once('data', (number) => resolve({ name: `:${String(number).trim()}`, end: () => child.kill() }));
  });
}

/** The environment of what draws with Mesa on that screen. */
function onScreen() {
  return { ...process.env, DISPLAY: screen.name, LIBGL_ALWAYS_SOFTWARE: '1' };
}

/**
 * Records a program, and compares its pictures. A row of the table.
 *
 * @param {Program} program
 * @returns {Promise<Row>}
 */
async function tried(program) {
  const home = join(folder, program.name);
  const trace = program.trace ?? join(folder, `${program.name}.trace`);
  if (!program.trace && (!given.keep || !existsSync(trace))) await record(program, home, trace);
  if (!existsSync(trace)) return { program, calls: 0, why: 'it made no calls' };
  /** @type {{ frames: Frame[] }} */
  const { frames } = JSON.parse(read(unspool, 'frame-list', '--json', trace));
  const calls = chosen(frames, trace);
  const pictures = join(home, 'pictures');
  references(program, trace, [...calls.frames, ...calls.draws], pictures);
  const cuts = cut(program, trace, frames, calls.frames, home);
  const found = await compared(trace, calls, cuts, home);
  return { program, calls: frames.at(-1)?.lastCall ?? 0, ...found };
}

/**
 * Records some seconds, in which the pointer moves and letters are typed, and trims to whole frames.
 *
 * @param {Program} program
 * @param {string} home
 * @param {string} trace
 */
async function record({ name, run = [], api = 'gl', seconds, env = {}, files = {} }, home, trace) {
  say(`records ${name}`);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 });
  for (const [path, content] of Object.entries(files)) writeFileSync(join(home, path), content);
  const whole = join(home, 'whole.trace');
  const limits = ['-s', 'TERM', '-k', '3', String(given.seconds ?? seconds)];
  const child = spawn('timeout', [...limits, 'apitrace', 'trace', '-a', api, '-o', whole, ...run], {
    cwd: home,
    stdio: 'ignore',
    env: {
      ...process.env,
      PATH: `${process.env['PATH']}:/usr/games`,
      DISPLAY: screen.name,
      HOME: home,
      XDG_RUNTIME_DIR: join(home, 'run'),
      LANG: 'en_US.UTF-8',
      USER: 'user',
      LIBGL_ALWAYS_SOFTWARE: '1',
      SDL_AUDIODRIVER: 'dummy',
      ALSOFT_DRIVERS: 'null',
      QT_XCB_GL_INTEGRATION: 'xcb_glx',
      GDK_BACKEND: 'x11',
      ...env,
    },
  });
  let moves = 0;
  const used = setInterval(() => {
    const [x, y] = [200 + ((moves * 37) % 400), 150 + ((moves * 23) % 300)];
    moves += 1;
    spawn('xdotool', ['mousemove', String(x), String(y), 'key', 'a'], {
      env: { ...process.env, DISPLAY: screen.name },
      stdio: 'ignore',
    });
  }, INPUT_MS);
  await new Promise((resolve) => child.on('exit', resolve));
  clearInterval(used);
  rmSync(trace, { force: true });
  if (!existsSync(whole)) return;
  /** @type {{ frames: Frame[] }} */
  const { frames } = JSON.parse(read(unspool, 'frame-list', '--json', whole));
  const ended = frames.filter(({ ended: isEnded }) => isEnded);
  let bytes = 0;
  let last;
  for (const frame of ended) {
    // Uploads are most of a trace. What they take beside calls is little.
    bytes += frame.uploaded + 16 * frame.calls;
    if (last && bytes > MOST_BYTES) break;
    last = frame;
  }
  if (last) read('apitrace', 'trim', '--calls', `0-${last.lastCall}`, '-o', trace, whole);
}

/**
 * Calls whose pictures are compared: ends of frames that draw, and draws in the middle of frames, over the whole trace.
 *
 * @param {readonly Frame[]} frames
 * @param {string} trace
 * @returns {Calls}
 */
function chosen(frames, trace) {
  // Native replay shows little of the first frames: its window is not there yet, or has another size.
  const all = frames.filter(({ draws, ended }) => draws > 0 && ended);
  const drawing = all.slice(all.length > 4 ? 2 : 1);
  /** @type {(some: readonly Frame[], count: number) => Frame[]} */
  const spread = (some, count) => [
    ...new Set(Array.from({ length: count }, (_, i) => some[Math.floor(((i + 0.5) * some.length) / count)])),
  ];
  const ends = spread(drawing, FRAMES)
    .filter(Boolean)
    .map(({ lastCall }) => lastCall);
  const middle = spread(drawing, DRAWS).filter(Boolean);
  const draws = middle.flatMap(({ firstCall, lastCall }) => {
    const text = read('apitrace', 'dump', '--color=never', `--calls=${firstCall}-${lastCall}`, trace);
    const within = [...text.matchAll(/^(\d+) gl(?:Draw|MultiDraw|End\b|CallList)/gm)].map(([, call]) => Number(call));
    return within.length > 0 ? [within[within.length >> 1]] : [];
  });
  return { frames: ends, draws: [...new Set(draws)] };
}

/**
 * Frames at the beginning, in the middle and at the end, and two that follow each other, as traces of their own.
 *
 * @param {Program} program
 * @param {string} trace
 * @param {readonly Frame[]} frames
 * @param {readonly number[]} ends
 * @param {string} home
 * @returns {Cut[]}
 */
function cut(program, trace, frames, ends, home) {
  /** @param {number} call */
  const at = (call) => frames.findIndex(({ lastCall }) => lastCall === call);
  const middle = ends[ends.length >> 1];
  const parts = [...new Set([ends[0], middle, ends.at(-1)])]
    .filter((call) => call !== undefined)
    .map((call) => [at(call), call]);
  if (at(middle) > 0) parts.push([at(middle) - 1, middle]);
  mkdirSync(join(home, 'cuts'), { recursive: true });
  return parts.map(([from, call], i) => {
    const file = join(home, 'cuts', `${call}-${i}.trace`);
    const args = ['cut', trace, '--frames', `${from}..${at(call)}`, '--self-contained', '-o', file];
    const { status, stderr } = spawnSync(unspool, args, { encoding: 'utf8' });
    if (status !== 0) return { call, refused: stderr.trim() };
    /** @type {number} */
    const end = JSON.parse(read(unspool, 'frame-list', '--json', file)).frames.at(-1).lastCall;
    const pictures = join(home, 'cuts', `${call}-${i}`);
    references(program, file, [end], pictures);
    return { call, file, end, png: pngOf(pictures, end) };
  });
}

/**
 * Where native replay puts the picture after a call.
 *
 * @param {string} path
 * @param {number} call
 */
function pngOf(path, call) {
  return join(path, `${String(call).padStart(10, '0')}.png`);
}

/**
 * Native pictures after calls.
 *
 * @param {Program} program
 * @param {string} trace
 * @param {readonly number[]} calls
 * @param {string} path
 */
function references({ api }, trace, calls, path) {
  mkdirSync(path, { recursive: true });
  const program = api === 'egl' ? 'eglretrace' : 'glretrace';
  const call = `--snapshot=${[...calls].sort((a, b) => a - b).join(',')}`;
  spawnSync(program, ['--headless', call, '-s', `${path}/`, trace], { env: onScreen(), stdio: 'ignore' });
}

/**
 * Pictures of the page beside those of native replay.
 *
 * @param {string} trace
 * @param {Calls} calls
 * @param {readonly Cut[]} cuts
 * @param {string} home
 * @returns {Promise<Comparison>}
 */
async function compared(trace, calls, cuts, home) {
  const browser = await chromium.launch({ executablePath: chrome, args, env: onScreen() });
  const alike = { frames: 0, draws: 0, cuts: 0 };
  const of = { frames: 0, draws: 0, cuts: 0 };
  /** @type {object[]} */
  const wrong = [];
  /** @type {number[]} */
  const times = [];
  /** @type {Coverage | null} */
  let coverage = null;
  try {
    const page = await opened(browser, trace);
    for (const kind of /** @type {const} */ (['frames', 'draws'])) {
      for (const call of jumping(calls[kind])) {
        const png = pngOf(join(home, 'pictures'), call);
        if (!existsSync(png)) continue;
        of[kind] += 1;
        const began = performance.now();
        const answer = await pictured(page, call, undefined, PATIENCE_MS);
        times.push(performance.now() - began);
        coverage = await answer.evaluate((/** @type {Pictured & { coverage?: Coverage }} */ it) => it.coverage ?? null);
        const found = await compare(answer, png);
        if (isAlike(found, LEAST[kind]) && !found.error && !found.halted) alike[kind] += 1;
        else {
          wrong.push({ kind, call, ...found });
          await keep(answer, join(home, 'pictures', `${call}-page.png`));
        }
        await answer.dispose();
      }
    }
    for (const { call, file, end, png, refused: why } of cuts) {
      const whole = pngOf(join(home, 'pictures'), call);
      if (!existsSync(whole)) continue;
      of.cuts += 1;
      /** @type {{ isAlike?: boolean, refused?: string }} */
      const found = why !== undefined ? { refused: why } : await lookAt(browser, page, { file, call, end, png, whole });
      if (found.isAlike) alike.cuts += 1;
      else wrong.push({ kind: 'cuts', call, ...found });
    }
  } finally {
    await browser.close();
  }
  writeFileSync(join(home, 'wrong.json'), JSON.stringify(wrong, null, 1));
  return { alike, of, coverage, slowest: Math.max(0, ...times.slice(1)), first: times[0] ?? 0 };
}

/**
 * A trace in a new page.
 *
 * @param {Browser} browser
 * @param {string} trace
 */
async function opened(browser, trace) {
  const page = await browser.newPage();
  await page.goto(`${served.url}?pictures=no`);
  await page.setInputFiles('#file-input', trace);
  await page.waitForFunction(() => document.body.dataset['state'] === 'ready', null, { timeout: PATIENCE_MS });
  return page;
}

/**
 * Whether a cut shows what the whole trace shows: in native replay, and in the page exactly.
 *
 * @param {Browser} browser
 * @param {Page} page
 * @param {{ file: string, call: number, end: number, png: string, whole: string }} cut
 */
async function lookAt(browser, page, { file, call, end, png, whole }) {
  if (!existsSync(png)) return { native: 'no picture' };
  const native = await page.evaluateHandle(decode, readFileSync(png).toString('base64'));
  const inNative = await compare(native, whole);
  const other = await opened(browser, file);
  const answer = await pictured(other, end, undefined, PATIENCE_MS);
  const isSame =
    (await answer.evaluate(hash)) === (await (await pictured(page, call, undefined, PATIENCE_MS)).evaluate(hash));
  const inPage = await compare(answer, whole);
  await other.close();
  return { isAlike: isAlike(inNative, LEAST.frames) && isSame, inNative, isSame, inPage };
}

/**
 * Runs in the page: a PNG as an answer of the page.
 *
 * @param {string} content
 * @returns {Promise<Pictured>}
 */
async function decode(content) {
  const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }), { colorSpaceConversion: 'none' });
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.drawImage(bitmap, 0, 0);
  const { width, height, data: pixels } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  return /** @type {any} */ ({ picture: { width, height, pixels } });
}

/**
 * Runs in the page: a number for a picture. Sizes and colours decide it.
 *
 * @param {Pictured} answer
 */
function hash({ picture }) {
  if (!picture) return null;
  let sum = picture.width;
  for (const color of new Uint32Array(picture.pixels.slice().buffer))
    sum = (Math.imul(sum, 31) + (color & 0xffffff)) | 0;
  return sum;
}

/**
 * Saves what the page answered, to be looked at.
 *
 * @param {JSHandle<Pictured>} answer
 * @param {string} path
 */
async function keep(answer, path) {
  const content = await answer.evaluate(async ({ picture }) => {
    if (!picture) return '';
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.putImageData(new ImageData(picture.pixels, picture.width, picture.height), 0, 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
    return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  });
  writeFileSync(path, Buffer.from(content, 'latin1'));
}

/**
 * The same calls, from both ends in turn: each is a jump.
 *
 * @param {readonly number[]} calls
 */
function jumping(calls) {
  const rest = [...calls];
  return calls.map((_, i) => /** @type {number} */ (i % 2 === 0 ? rest.pop() : rest.shift()));
}

/** @param {readonly Row[]} of */
function tableOf(of) {
  const lines = of.map(({ program, calls, alike, of, coverage, slowest, first, why }) => {
    const cells =
      why !== undefined
        ? [why, '', '', '', '', '']
        : [
            calls.toLocaleString('en'),
            `${alike.frames} of ${of.frames}`,
            `${alike.draws} of ${of.draws}`,
            `${alike.cuts} of ${of.cuts}`,
            refused(coverage),
            `${(first / 1000).toFixed(1)} s, ${(slowest / 1000).toFixed(1)} s`,
          ];
    return `| ${[program.name, program.gl, ...cells].join(' | ')} |`;
  });
  return [
    '| program | OpenGL | calls | frames alike | draws alike | cuts alike | refused | first, slowest jump |',
    '|---|---|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

/**
 * What is refused, in words.
 *
 * @param {Coverage | null | undefined} coverage
 */
function refused(coverage) {
  if (!coverage || coverage.unshown === 0) return 'nothing';
  const reasons = coverage.reasons.map(({ reason, count }) => `${count.toLocaleString('en')}: ${reason}`);
  return `${coverage.unshown.toLocaleString('en')} of ${coverage.draws.toLocaleString('en')} draws (${reasons.join('; ')})`;
}

/**
 * Puts the table into the docs, in place of the one that is there.
 *
 * @param {string} text
 */
function write(text) {
  const path = join(root, 'docs', 'graphics.md');
  const before = readFileSync(path, 'utf8');
  const after = before.replace(/\| program \| OpenGL \|[\s\S]*?\n\n/, () => `${text}\n`);
  if (after === before && !before.includes(text)) fail('docs/graphics.md has no table of programs to replace.');
  writeFileSync(path, after);
}
