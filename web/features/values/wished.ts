import { signal } from '@preact/signals';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { perTrace } from '../../trace/per_trace.ts';

/** Whether the invariants of a statement are to be shown, of the one that is open or one that has some; false once they are. */
export const wishedInvariants = perTrace((_: OpenTrace) => signal(false));
