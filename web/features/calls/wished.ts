import { signal } from '@preact/signals';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { perTrace } from '../../trace/per_trace.ts';

/** Id of the name whose longest call is to be compared once its calls are listed, or -1. */
export const wishedComparison = perTrace((_: OpenTrace) => signal(-1));
