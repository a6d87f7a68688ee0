/*
 * The entry of a trace's worker. The page terminates it with the trace.
 */
import { asTraceError } from './errors.ts';
import { serveToPage } from './serving.ts';
import { createTraceWorker } from './trace_worker.ts';

serveToPage(createTraceWorker(), undefined, asTraceError);
