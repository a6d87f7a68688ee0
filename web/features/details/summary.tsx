import { useSignal } from '@preact/signals';
import { formatPercent, formatPosition } from '../../base/format.ts';
import type { TraceInfo } from '../../base/protocol.ts';
import type { StandingFinding } from '../../base/summary_protocol.ts';
import { ticks } from '../../base/ticks.ts';
import type { Page } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { summaryOf } from '../../trace/summaries.ts';
import type { Summary as Model } from '../../trace/summary.ts';
import { goToPlace, goToStanding } from './standing_place.ts';
import { sentenceOf } from './trace_sentence.ts';
import './summary.css';

interface Props {
  readonly open: OpenTrace;
  readonly page: Page;
  readonly info: TraceInfo;
}

/** Findings that are shown until the others are asked for. */
const MOST = 5;

/** What a trace is, in a sentence, and what stands out in it, the greatest first. Without anything that does, only the sentence. */
export function Summary({ open, page, info }: Props) {
  const summary = summaryOf(open);
  const { listed, hidden } = summary;
  const all = listed.value ?? [];
  const isWhole = useSignal(false);
  const shown = isWhole.value ? all : all.slice(0, MOST);
  const isRead = open.trace.status.value.at === 'ready';
  return (
    <section class="standing" aria-label="Summary" aria-busy={summary.share.value !== null}>
      <p>{sentenceOf(open.trace, info)}</p>
      {isRead && <Looking summary={summary} />}
      {all.length > 0 && (
        <>
          <h2>What stands out</h2>
          <ol>
            {shown.map((finding) => (
              <Standing
                key={`${finding.kind} ${finding.at} ${finding.sentence}`}
                {...{ finding, open, page, summary }}
              />
            ))}
          </ol>
          {shown.length < all.length && (
            <button
              type="button"
              class="plain link small"
              onClick={() => {
                isWhole.value = true;
              }}
            >
              {all.length - shown.length} more
            </button>
          )}
        </>
      )}
      {hidden.value.length > 0 && (
        <p class="small muted">
          Not listed in this trace: {hidden.value.join(', ')}.{' '}
          <button type="button" class="plain link" onClick={summary.showAll}>
            List again
          </button>
        </p>
      )}
    </section>
  );
}

/** How far the search is, while it takes longer than a moment. Nothing waits for it. */
function Looking({ summary: { share } }: { readonly summary: Model }) {
  if (!share.value) return null;
  return (
    <p class="small muted" role="status">
      Looking for what stands out… {formatPercent(share.value, 1)}
    </p>
  );
}

/** A finding, which leads to its place. Why it is listed is a step further away. */
function Standing({
  finding,
  open,
  page,
  summary,
}: Omit<Props, 'info'> & { readonly finding: StandingFinding; readonly summary: Model }) {
  const { kind, title, why, sentence, places, part } = finding;
  const isOpen = useSignal(false);
  const hasPlaces = useSignal(false);
  return (
    <li>
      <button type="button" class="plain link" onClick={() => void goToStanding(finding, open, page)}>
        {sentence}
      </button>
      <p class="row wrap small muted">
        <span>{title}</span>
        <button
          type="button"
          class="plain link"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.peek();
          }}
        >
          Why listed
        </button>
        {places.length > 0 && (
          <button
            type="button"
            class="plain link"
            aria-expanded={hasPlaces.value}
            onClick={() => {
              hasPlaces.value = !hasPlaces.peek();
            }}
          >
            Places
          </button>
        )}
        <button type="button" class="plain link" onClick={() => summary.hide(kind)}>
          Not this kind again
        </button>
      </p>
      {isOpen.value && <p class="standing-why small">{why}</p>}
      {hasPlaces.value && <Places {...{ finding, open, page }} />}
      {part !== null && <p class="small muted">Not all was looked at: {part}.</p>}
    </li>
  );
}

/** The first few positions where a finding happens. Each leads there. */
function Places({ finding, open, page }: Omit<Props, 'info'> & { readonly finding: StandingFinding }) {
  const { trace } = open;
  const clock = trace.info.value?.clock;
  const { extent } = trace.progress.value;
  if (!clock || !extent) return null;
  return (
    <p class="row wrap small">
      {finding.places.map((place) => (
        <button key={place} type="button" class="plain link" onClick={() => void goToPlace(finding, place, open, page)}>
          {formatPosition(ticks(place), extent.from, clock)}
        </button>
      ))}
    </p>
  );
}
