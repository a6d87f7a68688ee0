import { formatCount } from '../../../base/format.ts';
import type { ResourceEvents } from '../../../base/survey_protocol.ts';
import type { PanelProps } from '../../../page/page.ts';
import { PALETTES } from '../../../timeline/render/palette.ts';
import { RESOURCE_MARKS } from '../resource_marks.ts';

/** What happened to the resource at a position, or null while that is not known. */
export interface Uses {
  readonly at: number;
  readonly events: ResourceEvents | null;
}

/** No resource is chosen. */
export const NO_USES: Uses = { at: -1, events: null };

interface LegendProps extends PanelProps {
  readonly uses: Uses;
  readonly isInterface: boolean;
  /** The selected call. */
  readonly call: number;
  readonly go: (call: number) => void;
}

/** Which colours the marks of a resource have on the timeline, and how many there are of each. They lead to the next one. */
export function Legend({ uses: { events }, isInterface, theme, call, go }: LegendProps) {
  if (!events) return null;
  const colours = PALETTES[theme.theme.value].abouts;
  const counted = RESOURCE_MARKS.map(({ about, title, ofInterface, what }) => {
    const calls = events.calls.filter((_, i) => (what as readonly string[]).includes(events.what[i]!));
    // After the last one comes the first.
    const next = calls.find((it) => it > call) ?? calls[0] ?? -1;
    return { colour: colours[about], title: isInterface ? ofInterface : title, count: calls.length, next };
  }).filter(({ count }) => count > 0);
  return (
    <ul class="resource-marks wrap rigid small" aria-label="Marks on the timeline">
      {counted.map(({ colour, title, count, next }) => (
        <li key={title}>
          <span class="swatch" style={{ background: colour }} aria-hidden="true" />{' '}
          <button type="button" class="plain link" title={`Go to call ${formatCount(next)}`} onClick={() => go(next)}>
            {title} <span class="muted">{formatCount(count)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface StepsProps {
  readonly uses: Uses;
  readonly isInterface: boolean;
  /** The selected call. */
  readonly call: number;
  readonly go: (call: number) => void;
}

/** Leads to the uses before and after the selected call. */
export function Steps({ uses: { events }, isInterface, call, go }: StepsProps) {
  const calls = events?.calls ?? new Float64Array();
  const what = events?.what ?? [];
  const previous = calls.findLastIndex((it) => it < call);
  const next = calls.findIndex((it) => it > call);
  const words: Record<string, string> = { drawnUntil: 'drawn last', deleted: isInterface ? 'released' : 'deleted' };
  const says = (i: number) => (i < 0 ? '' : `${words[what[i]!] ?? what[i]} by call ${formatCount(calls[i]!)}`);
  return (
    <>
      <button
        type="button"
        class="plain link"
        disabled={previous < 0}
        title={says(previous)}
        onClick={() => go(calls[previous]!)}
      >
        ‹ Previous use
      </button>
      <button type="button" class="plain link" disabled={next < 0} title={says(next)} onClick={() => go(calls[next]!)}>
        Next use ›
      </button>
    </>
  );
}
