/*
 * The worker of what the calls of an apitrace mean. It reads them once for all parts, each of which begins when it is first
 * asked for, and has a port of its own. It is never reset: the page terminates it with the last part.
 */

import type { FileBlockService } from '../../../base/file_protocol.ts';
import { serve } from '../../../base/remote.ts';
import type { CallsPart, Graphics } from '../../../base/survey_protocol.ts';
import { serveToPage } from '../../../trace/worker/serving.ts';
import { type CallsReading, createCallsReading } from './calls_reading.ts';

/** A part that is served. */
interface Served {
  readonly service: object;
  end(): void;
}

const PARTS: Readonly<Record<CallsPart, () => Promise<(reading: CallsReading) => Served>>> = {
  survey: async () => (await import('./survey.ts')).createSurveying,
  state: async () => (await import('./gl_state.ts')).createStateAtCalls,
  findings: async () => (await import('./findings.ts')).createFindsInCalls,
  frame: async () => (await import('./frame_cut.ts')).createFrameCut,
};

const reading = createCallsReading();
const served = new Map<CallsPart, Promise<Served>>();

serveToPage<Graphics>({
  open: reading.open,
  serve: async (part, port) => {
    const made = PARTS[part]().then((create) => create(reading));
    served.set(part, made);
    serveToPage((await made).service, port);
  },
  share: (port) => serve<FileBlockService>(reading, port),
  letGo: reading.letGo,
  end: (part) => {
    void served.get(part)?.then(({ end }) => end());
    served.delete(part);
  },
});
