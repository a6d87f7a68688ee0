/*
 * The entry of a trace's record worker. The page terminates it with the trace.
 */
import { asTraceError } from './errors.ts';
import { createRecordWorker } from './record_worker.ts';
import { serveToPage } from './serving.ts';

serveToPage(createRecordWorker(), undefined, asTraceError);
