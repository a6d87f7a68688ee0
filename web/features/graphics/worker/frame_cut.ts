import type { FindsFrameNeeds, FrameCutNews } from '../../../base/survey_protocol.ts';
import { STEP_BYTES } from '../../../trace/worker/record_file.ts';
import { FrameCut } from '../../../worker/wasm/unspool_graphics.js';
import type { CallsReading } from './calls_reading.ts';
import { loadGraphics } from './graphics_module.ts';

/** Minimum time between two reports. */
const REPORT_MS = 100;

/** The search for the calls that frames of one trace need to replay by themselves. */
export function createFrameCut(reading: CallsReading) {
  let choose: (frames: readonly [number, number]) => void = () => undefined;
  const chosen = new Promise<readonly [number, number]>((resolve) => {
    choose = resolve;
  });
  let frames: readonly [number, number] = [0, 0];
  const { turns, end } = reading.read<FrameCut, FrameCutNews>({
    load: async () => {
      frames = await chosen;
      return loadGraphics();
    },
    make: (records, file) => new FrameCut(records, file, ...frames),
    turn: (open, size) => {
      const of = open.pieces();
      return open.step(Math.max(1, Math.round(Math.min(of / 50, (of * STEP_BYTES) / size))));
    },
    share: (open) => open.done() / Math.max(1, open.pieces()),
    news: (open) => ({
      progress: { done: open.done(), of: open.pieces() },
      bytes: open.bytes(),
      needs: open.kept(),
    }),
    reportMs: REPORT_MS,
  });
  const service: FindsFrameNeeds = { ...turns, frames: (first, last) => choose([first, last]) };
  return { service, end };
}
