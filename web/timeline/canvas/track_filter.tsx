import { type Signal, useSignalEffect } from '@preact/signals';
import { formatCount, formatCounted, shortened } from '../../base/format.ts';
import { SideMark } from '../../parts/side_mark.tsx';
import { type OpenTrace, sideOf } from '../open_trace.ts';
import { focusArea, trackFilterId } from './fields.ts';

interface Props {
  readonly open: OpenTrace;
  readonly filtering: Signal<boolean>;
}

/** What is in the corner above the track names: the field that filters them, and how many are hidden. */
export function TrackCorner({ open, filtering }: Props) {
  const { arrangement } = open.timeline;
  const hidden = arrangement.visibility.value?.hidden ?? 0;
  const side = sideOf(open);
  // What filters tracks is always in sight.
  useSignalEffect(() => {
    if (arrangement.filter.value !== '') filtering.value = true;
  });
  return (
    <div class="overview-label small muted">
      {filtering.value ? (
        <Field open={open} close={() => (filtering.value = false)} />
      ) : (
        <span class="corner-line row">
          <span class="corner-text ellipsis" title={side ? open.trace.name : undefined}>
            {side ? (
              <>
                <SideMark side={side} /> {shortened(open.trace.name)}
              </>
            ) : (
              'Whole trace'
            )}
          </span>
          <button
            type="button"
            class="plain icon corner-button rigid"
            aria-label="Filter tracks"
            title="Filter tracks by name"
            onClick={() => {
              filtering.value = true;
              requestAnimationFrame(() => document.getElementById(trackFilterId(open))?.focus());
            }}
          >
            <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
              <path d="M1.5 2.5h11L8.5 7.5v4l-3-1.5V7.5z" />
            </svg>
          </button>
        </span>
      )}
      <span class="corner-line row">
        {hidden > 0 ? (
          <>
            <span
              class="corner-text ellipsis"
              title={`Tracks and overview leave them out. Panels${side ? ', and the other trace,' : ''} still count them.`}
            >
              {formatCount(hidden)} hidden{side && ' here'}
            </span>
            <button
              type="button"
              class="plain link corner-link"
              title="Show hidden tracks"
              onClick={arrangement.showAll}
            >
              Show all
            </button>
          </>
        ) : (
          <span class="corner-text ellipsis">{filtering.value ? <Matching open={open} /> : 'Drag to zoom'}</span>
        )}
      </span>
    </div>
  );
}

function Matching({ open }: { open: OpenTrace }) {
  const { arrangement } = open.timeline;
  const all = arrangement.ordered.value.length;
  const { matching } = arrangement.visibility.value ?? { matching: all };
  return (
    <>{matching < all ? `${formatCount(matching)} of ${formatCounted(all, 'track')}` : formatCounted(all, 'track')}</>
  );
}

function Field({ open, close }: { open: OpenTrace; close: () => void }) {
  const { arrangement } = open.timeline;
  const clear = () => {
    arrangement.filter.value = '';
    close();
  };
  return (
    <span class="corner-line row">
      <input
        id={trackFilterId(open)}
        type="text"
        placeholder="Filter tracks"
        aria-label="Filter tracks"
        spellcheck={false}
        autocomplete="off"
        value={arrangement.filter.value}
        onInput={(event) => {
          arrangement.filter.value = event.currentTarget.value;
        }}
        onBlur={() => {
          if (arrangement.filter.peek() === '') close();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'Enter') return;
          event.preventDefault();
          // Escape would also clear the selection.
          event.stopPropagation();
          if (event.key === 'Escape') clear();
          else focusArea(event.currentTarget);
        }}
      />
      <button
        type="button"
        class="plain icon corner-button rigid"
        aria-label="Clear the filter"
        title="Clear the filter (Escape)"
        onClick={clear}
      >
        ×
      </button>
    </span>
  );
}
