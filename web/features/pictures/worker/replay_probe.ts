/*
 * An entry for tests of the worker that replays an apitrace: its first message says which shortcuts it takes, and then it serves what
 * `replay.ts` does.
 */
import { type RemotePort, serve } from '../../../base/remote.ts';
import type { Shortcuts } from '../protocol.ts';
import { createReplayWorker } from './replay_worker.ts';

const page = self as unknown as RemotePort;
page.onmessage = ({ data }: MessageEvent<Shortcuts>) => serve(createReplayWorker(data), page);
