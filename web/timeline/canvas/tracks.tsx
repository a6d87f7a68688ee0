import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatLength, shortened, titled } from '../../base/format.ts';
import { DERIVED, type Track } from '../../base/protocol.ts';
import { createScope } from '../../base/scope.ts';
import { useMenu } from '../../parts/menu/request.ts';
import { shortLine, trackLines } from '../../trace/tracks.ts';
import { missingTime } from '../gaps.ts';
import { type Band, bandsOf, isDrawn, type LaidTrack, pinnedPart, SLICE_ROW, tracksWithin } from '../layout.ts';
import type { OpenTrace } from '../open_trace.ts';
import { trackMenu } from './menus.ts';
import { type Drop, listenForReorder } from './reorder.ts';
import './tracks.css';

/** CSS pixels of the name, and of each line below it. */
const NAME = 24;
const LINE = 16;
/** CSS pixels of the button that opens a deep track. */
const DEEPER = 22;
/** CSS pixels above and below the window within which tracks exist, for keyboard navigation. */
const SPARE = 200;

interface Props {
  readonly open: OpenTrace;
  /** Scrolls the tracks by CSS pixels of the layout. */
  readonly scrollBy: (pixels: number) => void;
}

/** The names of the tracks next to the timeline. Only those near the window exist. The mouse drags them to another place. */
export function TrackList({ open, scrollBy }: Props) {
  const { timeline } = open;
  const showMenu = useMenu();
  const box = useRef<HTMLDivElement>(null);
  const dragged = useSignal<{ readonly track: number; readonly drop: Drop | null } | null>(null);
  useEffect(() => {
    const element = box.current!;
    const scope = createScope();
    scope.add(
      listenForReorder(element, timeline, {
        dragged: (track, drop) => {
          if (track !== null) dragged.value = { track, drop };
          else if (dragged.peek()) dragged.value = null;
        },
        chosen: (track) => {
          timeline.arrangement.current.value = track;
        },
        scrollBy,
      }),
    );
    scope.listen(element, 'contextmenu', trackMenu(open, showMenu));
    // The others scroll with the page's own scroller.
    scope.listen<WheelEvent>(
      element,
      'wheel',
      (event) => {
        const { pinnedHeight } = timeline.layout.peek();
        const part = pinnedPart(timeline.layout.peek(), timeline.size.peek().height);
        const y = event.clientY - element.getBoundingClientRect().top;
        if (y >= part || part === pinnedHeight || event.ctrlKey) return;
        event.preventDefault();
        timeline.scrollPinned(event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * SLICE_ROW);
      },
      { passive: false },
    );
    return scope.dispose;
  }, [open, timeline, scrollBy, showMenu]);
  const layout = timeline.layout.value;
  return (
    <div class={dragged.value ? 'tracks reordering' : 'tracks'} ref={box}>
      {bandsOf(layout, timeline.window.value).map((band) => (
        <BandList
          key={band.isPinned ? 'pinned' : 'others'}
          open={open}
          band={band}
          dragged={dragged.value?.track ?? -1}
          drop={dragged.value?.drop?.isPinned === band.isPinned ? dragged.value.drop : null}
        />
      ))}
    </div>
  );
}

interface BandProps {
  readonly open: OpenTrace;
  readonly band: Band;
  /** Id of the track that is dragged, or -1. */
  readonly dragged: number;
  readonly drop: Drop | null;
}

function BandList({ open, band, dragged, drop }: BandProps) {
  const layout = open.timeline.layout.value;
  const { top, bottom, shift, isPinned } = band;
  const [least, most] = isPinned ? [0, layout.pinnedHeight] : [layout.pinnedHeight, layout.height];
  const { first, end } = tracksWithin(
    layout,
    Math.max(least, top + shift - SPARE),
    Math.min(most, bottom + shift + SPARE),
  );
  return (
    <ul
      class={isPinned ? 'tracks-band pinned' : 'tracks-band'}
      aria-label={isPinned ? 'Pinned tracks' : 'Tracks'}
      style={{ top: `${top}px`, height: `${bottom - top}px` }}
    >
      {layout.tracks.slice(first, end).map((laid) => (
        <TrackName key={laid.track.id} open={open} laid={laid} band={band} isDragged={laid.track.id === dragged} />
      ))}
      {drop && (
        <li class="drop-line" aria-hidden="true" style={{ transform: `translateY(${drop.y - shift - top - 1}px)` }} />
      )}
    </ul>
  );
}

interface NameProps {
  readonly open: OpenTrace;
  readonly laid: LaidTrack;
  readonly band: Band;
  readonly isDragged: boolean;
}

function TrackName({ open, laid, band, isDragged }: NameProps) {
  const { track, height } = laid;
  const { arrangement } = open.timeline;
  const info = open.trace.info.value;
  const lines = trackLines(track, info ?? { sliceNoun: 'slice' });
  const extent = open.trace.progress.value.extent;
  const missing = extent ? missingTime(track, extent) : 0n;
  if (info && missing > 0n) lines.push(`${formatLength(missing, info.clock)} without records`);
  const isDeep = laid.deeper > 0 || laid.isOpened;
  const room = Math.floor((height - NAME - 4 - (isDeep ? DEEPER : 0)) / LINE);
  const shown = lines.slice(0, Math.max(0, room));
  // The name of a track higher than the window stays visible.
  const content = NAME + shown.length * LINE + (isDeep ? DEEPER : 0) + 6;
  const edge = band.top + band.shift;
  const stuck = Math.max(0, Math.min(edge - laid.top, height - content));
  const heading = !isDrawn(laid);
  const derived = track.id >= DERIVED;
  const isCurrent = arrangement.current.value === track.id;
  const isPinned = band.isPinned && arrangement.pinned.value.includes(track.id);
  const name = shortened(track.name);
  const classes = [
    'track',
    track.kind === 'thread' && 'thread',
    heading && 'heading',
    derived && 'derived',
    isCurrent && 'current',
    isDragged && 'dragged',
  ];
  return (
    <li
      class={classes.filter(Boolean).join(' ')}
      style={{ transform: `translateY(${laid.top - edge}px)`, height: `${height}px` }}
      title={[titled(track.name), ...lines].join('\n')}
      aria-current={isCurrent || undefined}
      data-track={track.id}
    >
      <div
        class="track-content"
        style={{ transform: `translateY(${stuck}px)`, paddingLeft: `${10 + laid.level * 10}px` }}
      >
        <div class="track-name">
          {derived ? <DerivedName open={open} track={track} /> : <b>{name}</b>}
          {shown.length === 0 && lines[0] !== undefined && <span class="muted">{shortLine(track) ?? lines[0]}</span>}
          <span class="track-buttons rigid">
            {(isPinned || !band.isPinned) && (
              <button
                type="button"
                class="plain pin"
                tabIndex={isPinned ? 0 : -1}
                aria-pressed={isPinned}
                aria-label={`Pin ${name} to the top`}
                title={isPinned ? 'Unpin' : 'Pin to the top'}
                onClick={() => arrangement.togglePinned(track.id)}
              >
                <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
                  <path d="M4 1h4l-.5 4L9.500 7h-7l2-2zM6 7v4.500" />
                </svg>
              </button>
            )}
            {laid.foldable && (
              <button
                type="button"
                class="plain fold"
                aria-expanded={!laid.folded}
                aria-label={`${laid.folded ? 'Unfold' : 'Fold'} ${name}`}
                onClick={() => arrangement.toggleFolded(track.id)}
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
                aria-label={`Remove ${name}`}
                title="Remove the track"
                onClick={() => open.derived.remove(track.id)}
              >
                ×
              </button>
            )}
          </span>
        </div>
        {shown.map((line) => (
          <div class="track-line ellipsis small muted" key={line}>
            {line}
          </div>
        ))}
        {isDeep && (
          <button
            type="button"
            class="plain deeper small"
            aria-expanded={laid.isOpened}
            aria-label={laid.isOpened ? `Fewer rows of ${name}` : `+${formatCount(laid.deeper)} deeper rows of ${name}`}
            title={laid.isOpened ? 'Show no more rows than of other tracks' : 'Show all rows'}
            onClick={() => arrangement.toggleOpened(track.id)}
          >
            {laid.isOpened ? 'Fewer rows' : `+${formatCount(laid.deeper)} deeper`}
            <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
              <path d={laid.isOpened ? 'M1 7l4-4 4 4' : 'M1 3l4 4 4-4'} />
            </svg>
          </button>
        )}
        {track.reordering && <span class="track-note small">Reordering…</span>}
      </div>
    </li>
  );
}

/** The name of a derived track, which a click makes editable. */
function DerivedName({ open, track }: { open: OpenTrace; track: Track }) {
  const editing = useSignal(false);
  if (!editing.value) {
    return (
      <button
        type="button"
        class="plain own-name ellipsis"
        title="Rename the track"
        onClick={() => (editing.value = true)}
      >
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
      class="own-name ellipsis"
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
