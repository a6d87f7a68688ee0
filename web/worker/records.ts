/*
 * The entry of a trace's record worker. The page terminates it with the trace.
 */
import { type RemotePort, serve } from '../base/remote.ts';
import { thrownToPage } from './errors.ts';
import { createRecordWorker } from './record_worker.ts';

// The DOM types describe the page's scope only.
serve(createRecordWorker(), self as unknown as RemotePort, thrownToPage);
