/*
 * The entry of the worker that knows the OpenGL state of a trace: binds the messages of the page to it. The page terminates it with
 * the trace.
 */
import type { FromGlState, ToGlState } from '../base/gl_state_protocol.ts';
import { createGlStateWorker } from './gl_state_worker.ts';

/** The global scope of a worker. The DOM types describe the page's scope only. */
const page = self as unknown as {
  onmessage: ((event: MessageEvent<ToGlState>) => void) | null;
  postMessage(message: FromGlState): void;
};

const worker = createGlStateWorker((message) => page.postMessage(message));
page.onmessage = ({ data }) => worker.handle(data);
