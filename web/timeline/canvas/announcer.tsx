import { useComputed } from '@preact/signals';
import { formatLength, formatPosition, shortened } from '../../base/format.ts';
import { trackLines } from '../../trace/tracks.ts';
import type { OpenTrace } from '../open_trace.ts';

/** Announces the selection to screen readers, which cannot read the canvas. */
export function Announcer({ open }: { open: OpenTrace }) {
  const { trace, selection, timeline } = open;
  const measured = useComputed(() => {
    const info = trace.info.value;
    const anchor = selection.anchor.value;
    const place = selection.place();
    if (!info || !anchor || !place || place.start === anchor.start) return '';
    const away = place.start > anchor.start ? place.start - anchor.start : anchor.start - place.start;
    return `${formatLength(away, info.clock)} ${place.start > anchor.start ? 'after' : 'before'} the start of measuring`;
  });
  const placeText = useComputed(() => {
    const selected = selection.selected.value;
    const info = trace.info.value;
    const extent = trace.progress.value.extent;
    const record = selection.record.value;
    if (record && info && extent) {
      const at = formatPosition(record.x, extent.from, info.clock);
      return [at, record.name, `on ${trace.tracks.value.get(record.track)?.name ?? ''}`].filter(Boolean).join(', ');
    }
    if (!selected || !info || !extent) return '';
    const track = trace.tracks.value.get(selected.track)?.name ?? '';
    const start = formatPosition(selected.start, extent.from, info.clock);
    const length = selected.end === null ? '' : `, ${formatLength(selected.end - selected.start, info.clock)}`;
    return `${shortened(trace.names.of(selected.name))}${length}, at ${start}, on ${track}`;
  });
  const text = useComputed(() => [placeText.value, measured.value].filter(Boolean).join(', '));
  const at = useComputed(() => {
    const id = timeline.arrangement.current.value;
    const own = selection.selected.value?.track ?? selection.record.value?.track;
    // The track of the selection is announced with it.
    const track = id === own ? undefined : timeline.arrangement.find(id);
    if (!track) return '';
    return [shortened(track.name), ...trackLines(track, trace.info.value ?? { sliceNoun: 'slice' })].join(', ');
  });
  return (
    <>
      <div class="unseen" role="status" aria-live="polite" id="track-announcer">
        {at}
      </div>
      <div class="unseen" role="status" aria-live="polite" id="announcer">
        {text}
      </div>
    </>
  );
}
