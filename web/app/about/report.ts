/*
 * A report of what has failed, for the developers: version, browser, counters and stacks. It has neither names of files nor paths.
 */

import { COMMIT, VERSION } from 'virtual:about';
import { type Failure, failures } from '../../base/failures.ts';
import { ONE_FILE } from '../../base/one_file.ts';
import type { Workbench } from '../../page/workbench.ts';
import type { Trace } from '../../trace/trace.ts';

/** Addresses: of a script of the page its name and the place in it are kept. */
const ADDRESS = /\b(?:https?|blob|file|unspool-file|data|wasm):[^\s)'"]*/g;
const SCRIPT = /(?:([\w-]+\.(?:js|ts|tsx|wasm))(?:\?[^:\s]*)?)?((?::wasm-function\[\d+\])?(?::(?:0x[\da-f]+|\d+))*)$/;
/** Paths of a disk: at least two parts. */
const PATH = /(?<![\w.])(?:[A-Za-z]:\\|\\\\|\/|~\/)(?:[^\s\\/:*?"'<>|()]+[\\/])+[^\s\\/:*?"'<>|()]*/g;

/** The part of the browser that counters are from. Not every browser has all of it. */
interface Device {
  readonly userAgent: string;
  readonly hardwareConcurrency: number;
  readonly deviceMemory?: number;
}
interface Memory {
  readonly usedJSHeapSize: number;
}

/** The report of this page, as it is now. */
export function reportOf(workbench: Workbench): string {
  const bench = workbench.bench.peek();
  const pair = workbench.pair.peek();
  const open = pair ? [pair.a, pair.b] : bench.at === 'open' ? [bench.open] : [];
  const traces = open.map(({ trace }) => trace);
  return [
    `Unspool ${VERSION}, commit ${COMMIT}`,
    ...countersOf(navigator),
    ...traces.flatMap(describedTrace),
    ...describedFailures(failures.peek(), traces.flatMap(namesOf)),
    '',
  ].join('\n');
}

function countersOf(device: Device): readonly string[] {
  const { memory } = performance as { memory?: Memory };
  const page = ONE_FILE
    ? 'one file'
    : navigator.serviceWorker?.controller
      ? 'kept for use without a network'
      : 'of a host';
  return [
    `browser: ${device.userAgent}`,
    `page: ${page}, open for ${(performance.now() / 1000).toFixed(1)} s, ${innerWidth} × ${innerHeight} at ${devicePixelRatio}`,
    `machine: ${device.hardwareConcurrency} cores, ${device.deviceMemory ?? 'unknown'} GiB, ${memory?.usedJSHeapSize ?? 'unknown'} bytes of scripts`,
  ];
}

/** What is known of a trace, without its name. */
export function describedTrace(trace: Trace): readonly string[] {
  const { events, bytes, bytesRead, problems } = trace.progress.peek();
  const status = trace.status.peek();
  const error = status.at === 'ready' || status.at === 'failed' ? status.error : null;
  const companions = trace.companions.peek().map(({ kind, file }) => `${kind} of ${file.size} bytes`);
  return [
    '',
    `trace: ${trace.info.peek()?.title ?? 'unknown format'}, ${status.at}${error ? ` (${error.kind})` : ''}`,
    `  read: ${bytesRead} of ${bytes} bytes, ${events} events, ${trace.tracks.peek().size} tracks`,
    ...problems.map(({ kind, count }) => `  problem: ${kind}, ${count} times`),
    ...companions.map((text) => `  with: ${text}`),
  ];
}

/** Failures with their stacks, without the names of files and without paths. */
export function describedFailures(noted: readonly Failure[], names: readonly string[]): readonly string[] {
  if (noted.length === 0) return ['', 'no failure'];
  // An error that ends a worker arrives a second time, without its stack.
  const told = noted.filter(({ part, text }, i) => {
    const bare = text.replace(/^Uncaught /, '');
    return !noted.slice(0, i).some((before) => before.part === part && before.text.startsWith(bare));
  });
  return told.flatMap(({ part, text, at }) => [
    '',
    `${(at / 1000).toFixed(1)} s, ${part}: ${withoutNames(text, names)}`,
  ]);
}

/** A text without these names, without addresses, and without paths. */
export function withoutNames(text: string, names: readonly string[]): string {
  // The longest first: one may be within another.
  const longest = [...new Set(names)].filter((name) => name !== '').sort((a, b) => b.length - a.length);
  let clean = text;
  for (const name of longest) {
    const exactly = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    clean = clean.replace(new RegExp(`(?<![\\w.-])${exactly}(?![\\w-])`, 'g'), '[name]');
  }
  return clean
    .replace(ADDRESS, (address) => {
      const [, script = '[address]', place = ''] = SCRIPT.exec(address) ?? [];
      return `${script}${place}`;
    })
    .replace(PATH, '[path]');
}

/** The names that a trace has from its files. */
function namesOf(trace: Trace): readonly string[] {
  return [trace.name, trace.entry.peek() ?? '', ...trace.companions.peek().map(({ name }) => name)];
}
