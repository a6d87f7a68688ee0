import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Details } from '../../base/protocol.ts';
import { MEASURES } from '../../base/survey_protocol.ts';
import { Copyable } from '../../parts/copyable.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { MEASURE_TITLES, measuredText } from '../../trace/call_times.ts';
import { surveyOf } from '../../trace/surveys.ts';

/** What was measured of a call, as fields. */
export function CallTimes({ open, details }: { open: OpenTrace; details: Details }) {
  const survey = surveyOf(open);
  const found = useSignal<Float64Array | null>(null);
  const times = survey.times.value;
  const call = Number(details.start);
  useEffect(() => {
    let current = true;
    found.value = null;
    if (times) {
      void survey.ask.timesOf(call).then((values) => {
        if (current) found.value = values;
      });
    }
    return () => {
      current = false;
    };
  }, [survey, times, call]);
  const values = found.value;
  if (!times || !values) return null;
  return (
    <>
      {MEASURE_TITLES.filter((_, i) => times.counts[i]! > 0).map(({ measure, name }) => {
        const text = measuredText(measure, values[MEASURES.indexOf(measure)] ?? Number.NaN, times);
        return (
          <Fragment key={measure}>
            <dt>{name}</dt>
            <dd>
              <Copyable text={text}>{text}</Copyable>
            </dd>
          </Fragment>
        );
      })}
    </>
  );
}
