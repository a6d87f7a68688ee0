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

/** A measured number as text. NaN was not measured. */
export function measuredText(measure: Measure, value: number): string {
  if (Number.isNaN(value)) return 'not measured';
  return measure === 'pixels' ? formatCount(value) : formatLength(BigInt(value), NANOSECONDS);
}

/** What to say of a file of times. null if the worker ended before. */
export function aboutTimes(read: TimesRead | null): Omit<Attachment, 'companion'> {
  if (!read) return { sentence: 'It was not read, because the reader of frames has stopped.', wrong: true };
  const { calls, counts, skipped, wrong } = read;
  const rest = skipped === '' ? '' : ` ${capitalised(skipped)}.`;
  if (wrong !== '') return { sentence: `${capitalised(wrong)}.${rest}`, wrong: true };
  if (calls === 0) return { sentence: `It lists no calls.${rest}`, wrong: true };
  const parts = MEASURES.flatMap((measure, i) => {
    const name = { cpuTime: 'CPU time', gpuTime: 'GPU time', pixels: 'pixels' }[measure];
    return counts[i]! > 0 ? [`${name} of ${formatCount(counts[i]!)}`] : [];
  });
  const sentence = `It lists ${formatCounted(calls, 'call')}: ${parts.join(', ') || 'nothing measured'}.${rest}`;
  return { sentence, wrong: skipped !== '' };
}
