import type { Attachment } from '../base/companions.ts';
import { capitalised, formatCount, formatCounted, formatLength } from '../base/format.ts';
import { MEASURES, type Measure, type TimesRead } from '../base/survey_protocol.ts';

/** What a measure is called. */
export interface MeasureTitle {
  readonly measure: Measure;
  /** In the head of a column. */
  readonly title: string;
  /** In a list of facts about a call. */
  readonly name: string;
}

/** The measures, in their order. */
export const MEASURE_TITLES: readonly MeasureTitle[] = [
  { measure: 'cpuTime', title: 'CPU', name: 'CPU time' },
  { measure: 'gpuTime', title: 'GPU', name: 'GPU time' },
  { measure: 'pixels', title: 'Drawn', name: 'Pixels drawn' },
];

/** The clock of measured times. */
export const NANOSECONDS = { kind: 'seconds', frequency: 1_000_000_000n } as const;

/** A measured number as text. NaN was not measured. What was measured of a call cannot be true if it is longer than the replay, `times.replay`. */
export function measuredText(measure: Measure, value: number, times?: Pick<TimesRead, 'replay'>): string {
  if (Number.isNaN(value)) return 'not measured';
  if (measure === 'pixels') return formatCount(value);
  const text = formatLength(BigInt(value), NANOSECONDS);
  return isCredible(measure, value, times) ? text : `${text}, implausible`;
}

/** Whether what was measured of a call can be true. */
export function isCredible(measure: Measure, value: number, times?: Pick<TimesRead, 'replay'>): boolean {
  return measure === 'pixels' || !(value > (times?.replay ?? Number.POSITIVE_INFINITY));
}

/** What to say of a file of times. null if the worker ended before. */
export function aboutTimes(read: TimesRead | null): Omit<Attachment, 'companion'> {
  if (!read) return { sentence: 'It was not read, because the reader of frames has stopped.', wrong: true };
  const { calls, counts, skipped, doubt, wrong } = read;
  const rest = sentenceOf(skipped);
  if (wrong !== '') return { sentence: `${capitalised(wrong)}.${rest}`, wrong: true };
  if (calls === 0) return { sentence: `It lists no calls.${rest}`, wrong: true };
  const parts = MEASURES.flatMap((measure, i) => {
    const name = { cpuTime: 'CPU time', gpuTime: 'GPU time', pixels: 'pixels' }[measure];
    return counts[i]! > 0 ? [`${name} of ${formatCount(counts[i]!)}`] : [];
  });
  const sentence = `It lists ${formatCounted(calls, 'call')}: ${parts.join(', ') || 'nothing measured'}.${sentenceOf(doubt)}${rest}`;
  return { sentence, wrong: skipped !== '' || doubt !== '' };
}

/** A sentence after others, of what has no full stop; '' of nothing. */
function sentenceOf(text: string): string {
  return text === '' ? '' : ` ${capitalised(text)}.`;
}
