import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { MEASURES, type Measure } from '../../../base/survey_protocol.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { surveyOf } from '../../../trace/surveys.ts';
import type { Calls } from '../calls.ts';

interface Props {
  readonly open: OpenTrace;
  readonly calls: Calls;
}

/** The choice of what the flame graph is weighed by, once there are times of calls. */
export function WeightChoice({ open, calls }: Props) {
  const hasTimes = open.trace.companions.value.some(({ kind }) => kind === 'times');
  // Without times no survey is needed.
  return hasTimes || calls.weight.value ? <Choice open={open} calls={calls} /> : null;
}

const OPTIONS: readonly (readonly [Measure, string])[] = [
  ['cpuTime', 'CPU time'],
  ['gpuTime', 'GPU time'],
];

function Choice({ open, calls }: Props) {
  const survey = surveyOf(open);
  const times = survey.times.value;
  const measure = useSignal<Measure | null>(calls.weight.peek()?.measure ?? null);
  const wanted = measure.value;
  useEffect(() => {
    let current = true;
    if (!wanted || !times) calls.weigh(null);
    else {
      calls.weighing.value = true;
      void survey.ask.weights(wanted).then((given) => {
        if (current) calls.weigh(given && { measure: wanted, given });
      });
    }
    return () => {
      current = false;
      calls.weighing.value = false;
    };
  }, [survey, times, wanted, calls]);
  const options = OPTIONS.filter(([option]) => (times?.counts[MEASURES.indexOf(option)] ?? 0) > 0);
  if (options.length === 0) return null;
  return (
    <select
      aria-label="Weight"
      title={`What widths represent. Times are those of the replay${times?.doubt ? `. ${times.doubt}` : ''}`}
      value={wanted ?? ''}
      onChange={(event) => {
        measure.value = (event.currentTarget.value || null) as Measure | null;
      }}
    >
      <option value="">Number of calls</option>
      {options.map(([option, title]) => (
        <option key={option} value={option}>
          {title}
        </option>
      ))}
    </select>
  );
}
