// `unspool convert` of an XRay log, beside llvm-xray, which writes Chrome's JSON of the same log.

import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { find, root } from '../../scripts/lib.mjs';
import { generated } from './inputs.mjs';
import { timed } from './native.mjs';

/** Two records a slice. */
const INPUT = { name: 'sql', format: 'xray', events: 10_000_000, ending: 'xray' };
/**
 * The formats, and how many million slices a second are the goal.
 *
 * @type {readonly [format: string, goal: number][]}
 */
export const GOALS = [
  ['parquet', 3],
  ['perfetto', 2],
  ['chrome', 1],
];

/**
 * Times of a run in ms: those of each format, and of llvm-xray if it is installed. Reading the log is part of them.
 *
 * @param {string} unspool
 * @param {boolean} [quick]
 */
export async function convertTimes(unspool, quick) {
  const input = await generated(unspool, INPUT, quick);
  const output = join(root, 'target', 'bench', 'converted');
  /** @type {(program: string, args: readonly string[]) => Promise<number | undefined>} */
  const written = async (program, args) => {
    const ms = await timed(program, args);
    rmSync(output, { recursive: true, force: true });
    return ms;
  };
  /** @type {(number | undefined)[]} */
  const each = [];
  for (const [format] of GOALS) each.push(await written(unspool, ['convert', input, '--to', format, '-o', output]));
  const llvm = find('llvm-xray');
  const peer = llvm ? await written(llvm, ['convert', '-f', 'trace_event', input, '-o', output]) : undefined;
  // A record of a generated log has 8 bytes, but for a few of 16.
  return { slices: statSync(input).size / 16, each, peer };
}
