import { createFindings } from '../../model/findings.ts';
import type { OpenTrace } from '../../model/open_trace.ts';
import { perTrace } from '../../model/per_trace.ts';
import { SOURCES } from './sources.ts';

/** The findings of a trace. null if nothing looks for any in its format. */
export const findingsOf = perTrace((open: OpenTrace) => {
  const offers = open.trace.info.value?.offers ?? [];
  const source = SOURCES.find(({ by }) => offers.includes(by));
  return source ? createFindings(() => source.load(open)) : null;
});
