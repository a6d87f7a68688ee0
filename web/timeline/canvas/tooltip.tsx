import type { ReadonlySignal } from '@preact/signals';
import { formatCounted, formatLength, formatPosition, formatRawLength, plural, shortened } from '../../base/format.ts';
import type { TraceInfo } from '../../base/protocol.ts';
import { TooltipBox } from '../../parts/tooltip.tsx';
import { flagWords } from '../../trace/flags.ts';
import type { Reading } from '../../trace/pointed.ts';
import { callText } from '../../trace/values.ts';
import type { Extent } from '../../trace/view.ts';
import { gapAt } from '../gaps.ts';
import { trackAt } from '../layout.ts';
import type { OpenTrace } from '../open_trace.ts';
import type { PointerPlace } from './view_state.ts';

/** CSS pixels. */
const WIDEST = 380;
/** Characters of a call's arguments, about three lines. */
const MOST_CHARACTERS = 150;

/** A description of what is under the pointer. */
export function Tooltip({ open, pointer }: { open: OpenTrace; pointer: ReadonlySignal<PointerPlace | null> }) {
  const { trace, timeline, selection, preview, derived } = open;
  const hovered = selection.hovered.value;
  const at = pointer.value;
  const info = trace.info.value;
  const extent = trace.progress.value.extent;
  if (!at || !info || !extent) return null;
  const box = { at, area: timeline.size.value, widest: WIDEST };
  if (!hovered) return <MissingRecords open={open} at={at} info={info} extent={extent} />;
  const name = shortened(trace.names.of(hovered.name));
  const start = formatPosition(hovered.start, extent.from, info.clock);
  if (hovered.reading) {
    const track = trace.tracks.value.get(hovered.track) ?? derived.tracks.value.find(({ id }) => id === hovered.track);
    return (
      <TooltipBox {...box}>
        <ReadingText name={track?.name ?? ''} reading={hovered.reading} />
        <p class="muted">since {start}</p>
      </TooltipBox>
    );
  }
  if (!hovered.item) {
    return (
      <TooltipBox {...box}>
        <p>
          Several {plural(2, info.sliceNoun)}, mostly <b>{name}</b>
        </p>
        <p class="muted">Zoom in to tell them apart.</p>
      </TooltipBox>
    );
  }
  const length = hovered.end === null ? null : hovered.end - hovered.start;
  // In a trace of ordinals most slices have length 1, which says nothing.
  const told = length !== null && (info.clock.kind !== 'ordinal' || length > 1n);
  const details = preview.details.value;
  const call = details ? callText(details, { clock: info.clock, origin: extent.from }, MOST_CHARACTERS) : '';
  return (
    <TooltipBox {...box}>
      <p class="call">
        <b>{name}</b>
        {call !== '' && <span class="mono">{call}</span>}
      </p>
      {told && (
        <p>
          {formatLength(length, info.clock)} <span class="muted">{formatRawLength(length, info.clock)}</span>
        </p>
      )}
      <p class="muted">at {start}</p>
      {hovered.many > 1 && (
        <p class="muted">
          {formatCounted(hovered.many, 'event')} here;{' '}
          {timeline.picture.value?.step === 1n ? 'select it and press . for the next.' : 'zoom in to tell them apart.'}
        </p>
      )}
      {flagWords(hovered.flags).map((word) => (
        <p class="muted" key={word}>
          {word}
        </p>
      ))}
    </TooltipBox>
  );
}

/** What is known of an interval without records under the pointer. */
function MissingRecords({
  open: { timeline },
  at,
  info: { clock },
  extent,
}: {
  open: OpenTrace;
  at: PointerPlace;
  info: TraceInfo;
  extent: Extent;
}) {
  const view = timeline.view.value;
  const laid = trackAt(timeline.layout.value, timeline.placeAt(at.y));
  const gap = view && laid ? gapAt(laid, view, extent, at.x) : null;
  if (!gap) return null;
  const length = formatLength(gap.to - gap.from, clock);
  return (
    <TooltipBox at={at} area={timeline.size.value} widest={WIDEST}>
      <p>
        <b>{length} without records</b>
      </p>
      <p class="muted">
        {gap.isFirst
          ? 'The thread was in a call before its first record. Earlier records were overwritten, lost or never written.'
          : 'Records of the thread are missing here: their buffer was overwritten, lost or damaged.'}
      </p>
    </TooltipBox>
  );
}

function ReadingText({ name, reading: { value, min, max } }: { name: string; reading: Reading }) {
  return (
    <>
      <p>
        <b>{name}</b> {value}
      </p>
      {max !== min && (
        <p class="muted">
          between {min} and {max} within this pixel
        </p>
      )}
    </>
  );
}
