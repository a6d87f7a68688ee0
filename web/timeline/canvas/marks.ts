import { effect } from '@preact/signals';
import type { Progress } from '../../base/protocol.ts';
import type { Dispose } from '../../base/scope.ts';
import type { OpenTrace } from '../open_trace.ts';

/** Sets the User Timing mark of the first picture, in the frame in which the user sees it. Call it after drawing. */
export function markFirstPicture({ trace }: OpenTrace): void {
  requestAnimationFrame(() => {
    performance.mark('unspool:first-picture', { detail: amountsOf(trace.progress.peek()) });
  });
}

/** Sets the User Timing mark of completion when reading ends, unless the user cancelled it. */
export function markCompletion({ trace }: OpenTrace): Dispose {
  return effect(() => {
    const status = trace.status.value;
    if (status.at !== 'ready' || status.how === 'cancelled') return;
    performance.mark('unspool:complete', { detail: amountsOf(trace.progress.peek()) });
  });
}

function amountsOf({ bytesRead, bytes, events, slices, storeBytes }: Progress) {
  return { bytesRead, bytes, events, slices, storeBytes };
}
