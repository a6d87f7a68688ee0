import { signal } from '@preact/signals';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { perTrace } from '../../trace/per_trace.ts';

/** Whether the invariants of the statement that was reached most often are to be shown; false once they are. */
export const wishedInvariants = perTrace((_: OpenTrace) => signal(false));
