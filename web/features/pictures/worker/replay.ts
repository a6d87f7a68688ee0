/*
 * The entry of the worker that replays an apitrace. The page terminates it with the trace.
 */
import { type RemotePort, serve } from '../../../base/remote.ts';
import { createReplayWorker } from './replay_worker.ts';

serve(createReplayWorker(), self as unknown as RemotePort);
