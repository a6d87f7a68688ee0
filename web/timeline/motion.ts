import type { Dispose } from '../base/scope.ts';
import { between, sameView, type View } from '../trace/view.ts';

/** Duration of a glide. */
const MS = 160;

/** Whether the system setting for reduced motion is on. */
function reducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/**
 * Calls `show` with intermediate views once a frame, the last one being `to`. With reduced motion it calls `show(to)`
 * at once. Disposing stops the animation.
 */
export function glide(from: View, to: View, show: (view: View) => void): Dispose {
  if (reducedMotion() || sameView(from, to)) {
    show(to);
    return () => undefined;
  }
  const began = performance.now();
  let frame = 0;
  const step = (now: number) => {
    const t = Math.min(1, Math.max(0, (now - began) / MS));
    show(between(from, to, 1 - (1 - t) ** 3));
    if (t < 1) frame = requestAnimationFrame(step);
  };
  frame = requestAnimationFrame(step);
  return () => cancelAnimationFrame(frame);
}
