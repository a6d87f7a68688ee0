import { createReplayGpu } from '../../base/replay/gpu.ts';
import { serveGpu } from '../../base/replay/port.ts';
import type { Dispose } from '../../base/scope.ts';

/** Milliseconds of a replay after which the page has its turn: about what a frame leaves. */
const TURN_MS = 10;

/** WebGL2 on a canvas that is not shown, behind a port. Returns null if the browser has none. */
export function lendGpu(): { readonly port: MessagePort; readonly dispose: Dispose } | null {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [1, 1];
  const gpu = createReplayGpu(canvas, TURN_MS);
  if (!gpu) return null;
  const { port1, port2 } = new MessageChannel();
  serveGpu(gpu, port1);
  const dispose = () => {
    port1.close();
    // The same context as before. Without this its memory is kept until the canvas is collected.
    canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context')?.loseContext();
  };
  return { port: port2, dispose };
}
