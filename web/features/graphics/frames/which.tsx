import { batch, type Signal } from '@preact/signals';
import { Segments } from '../../../parts/segments.tsx';
import { framePairsOf } from '../../../timeline/frame_pairs.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import type { Survey } from '../../../trace/survey.ts';

/** What is shown of one trace: frames, or calls with their times. */
export type Shown = 'frames' | 'calls';

interface Props {
  readonly open: OpenTrace;
  readonly survey: Survey;
  readonly shown: Signal<Shown>;
}

/** The choice between what is shown, also of two traces that are compared, once there is one. Then what is left out of the times. */
export function Which({ open, survey, shown }: Props) {
  const pair = open.pair.value;
  const listed = pair && framePairsOf(pair).isListed;
  const options: [Shown | 'both', string][] = [['frames', 'Frames']];
  if (listed) options.push(['both', 'Of both']);
  if (survey.times.value) options.push(['calls', 'Slowest calls']);
  if (options.length === 1) return null;
  const doubt = survey.times.value?.doubt ?? '';
  return (
    <>
      <Segments
        label="Rows"
        options={options}
        value={listed?.value ? 'both' : survey.times.value ? shown.value : 'frames'}
        choose={(next) => {
          batch(() => {
            if (listed) listed.value = next === 'both';
            if (next !== 'both') shown.value = next;
          });
        }}
      />
      {doubt !== '' && <span class="muted">{doubt}</span>}
    </>
  );
}
