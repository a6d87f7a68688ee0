import { useSignal } from '@preact/signals';
import { shortened } from '../../base/format.ts';
import { DERIVED, type Track } from '../../base/protocol.ts';
import { isDrawn, type LaidTrack, tracksWithin } from '../../model/layout.ts';
import { shortLine, trackLines } from '../../model/tracks.ts';
import type { OpenTrace } from '../../model/workbench.ts';

/** CSS pixels of the name, and of each line below it. */
const NAME = 24;
const LINE = 16;
/** CSS pixels above and below the window within which tracks exist, for keyboard navigation. */
const SPARE = 200;

/** Characters of a name in its tooltip. */
const LONGEST_TITLE = 1000;

/** The names of the tracks next to the timeline. Only those near the window exist. */
export function TrackList({ open }: { open: OpenTrace }) {
  const { timeline } = open;
  const layout = timeline.layout.value;
  const top = timeline.scrollTop.value;
  const { height } = timeline.size.value;
  const { first, end } = tracksWithin(layout, top - SPARE, top + height + SPARE);
  return (
    <div class="tracks">
      <ul aria-label="Tracks">
        {layout.tracks.slice(first, end).map((laid) => (
          <TrackName key={laid.track.id} open={open} laid={laid} scrollTop={top} />
        ))}
      </ul>
    </div>
  );
}

function TrackName({ open, laid, scrollTop }: { open: OpenTrace; laid: LaidTrack; scrollTop: number }) {
  const { track, height } = laid;
  const info = open.trace.info.value;
  const lines = trackLines(track, info ?? { sliceNoun: 'slice' });
  const room = Math.floor((height - NAME - 4) / LINE);
  const shown = lines.slice(0, Math.max(0, room));
  // The name of a track higher than the window stays visible.
  const content = NAME + shown.length * LINE + 6;
  const stuck = Math.max(0, Math.min(scrollTop - laid.top, height - content));
  const heading = !isDrawn(laid);
  const derived = track.id >= DERIVED;
  return (
    <li
      class={`track${track.kind === 'thread' ? ' thread' : ''}${heading ? ' heading' : ''}${derived ? ' derived' : ''}`}
      style={{ transform: `translateY(${laid.top - scrollTop}px)`, height: `${height}px` }}
      title={[shortened(track.name, LONGEST_TITLE), ...lines].join('\n')}
    >
      <div
        class="track-content"
        style={{ transform: `translateY(${stuck}px)`, paddingLeft: `${10 + laid.level * 10}px` }}
      >
        <div class="track-name">
          {derived ? <DerivedName open={open} track={track} /> : <b>{shortened(track.name)}</b>}
          {shown.length === 0 && lines[0] !== undefined && <span class="muted">{shortLine(track) ?? lines[0]}</span>}
          {laid.foldable && (
            <button
              type="button"
              class="plain fold"
              aria-expanded={!laid.folded}
              aria-label={`${laid.folded ? 'Unfold' : 'Fold'} ${shortened(track.name)}`}
              onClick={() => open.timeline.toggleFolded(track.id)}
            >
              <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
                <path d={laid.folded ? 'M3 1l4 4-4 4' : 'M1 3l4 4 4-4'} />
              </svg>
            </button>
          )}
          {derived && (
            <button
              type="button"
              class="plain icon remove"
              aria-label={`Remove ${shortened(track.name)}`}
              title="Remove the track"
              onClick={() => open.derived.remove(track.id)}
            >
              ×
            </button>
          )}
        </div>
        {shown.map((line) => (
          <div class="track-line muted" key={line}>
            {line}
          </div>
        ))}
        {track.reordering && <span class="track-note">Reordering…</span>}
      </div>
    </li>
  );
}

/** The name of a derived track, which a click makes editable. */
function DerivedName({ open, track }: { open: OpenTrace; track: Track }) {
  const editing = useSignal(false);
  if (!editing.value) {
    return (
      <button type="button" class="plain own-name" title="Rename the track" onClick={() => (editing.value = true)}>
        {shortened(track.name)}
      </button>
    );
  }
  const end = (name: string) => {
    editing.value = false;
    open.derived.rename(track.id, name);
  };
  return (
    <input
      class="own-name"
      aria-label="Name of the track"
      value={track.name}
      ref={(input) => input?.focus()}
      onBlur={(event) => end(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') end(event.currentTarget.value);
        if (event.key === 'Escape') end('');
      }}
    />
  );
}
