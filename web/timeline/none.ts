import { plural } from '../base/format.ts';
import type { OpenTrace } from './open_trace.ts';

/** The choices that narrow the lists of a trace. */
type Narrowed = { readonly statistics: Pick<OpenTrace['statistics'], 'range' | 'whose'> };

/** Why a list is empty: the range, the track or a filter leaves nothing; or the trace has none of what is listed. Subscribes. */
export function noneOf({ statistics }: Narrowed, noun: string, isFiltered = false): string {
  const scope = `${statistics.whose.value === 'all' ? '' : ' of this track'}${statistics.range.value ? ' in this range' : ''}`;
  if (isFiltered) return `No ${noun}${scope} matches.`;
  return scope === '' ? `The trace has no ${plural(2, noun)}.` : `No ${plural(2, noun)}${scope}.`;
}
