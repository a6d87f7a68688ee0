/* The worker that follows values back to what made two executions part. It reads both files, and ends with its answer. */

import { startReader } from '../../../trace/worker/loading.ts';
import { RecordFile } from '../../../trace/worker/record_file.ts';
import { createScheduler } from '../../../trace/worker/scheduler.ts';
import { serveToPage } from '../../../trace/worker/serving.ts';
import init, { Reason } from '../../../worker/wasm/unspool_compare.js';
import type { Reasoning } from '../protocol.ts';

const load = startReader(() => init());
const scheduler = createScheduler();

const service: Reasoning = {
  why: async (format, a, b, hear) => {
    await load();
    const reason = new Reason(format, a.index, new RecordFile(a.file), b.index, new RecordFile(b.file));
    for (;;) {
      const found = reason.turn();
      if (found) return found;
      hear(reason.share());
      await scheduler.turn('rest');
    }
  },
};

serveToPage(service);
