import type { Dispose } from '../base/scope.ts';
import { between, sameView, type View } from './view.ts';

const MS = 160;

/** Whether the person asked the system for less movement. */
export function reducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Leads from one view to another over a moment, or at once for who wants no movement. Disposing stops it on the way. */
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
