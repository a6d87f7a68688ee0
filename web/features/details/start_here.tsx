import type { ComponentType } from 'preact';
import type { TraceInfo } from '../../base/protocol.ts';
import type { Page, Start } from '../../page/page.ts';
import { askedOf, loadStarts } from '../../page/starts.ts';
import { MarkedText } from '../../parts/marked_text.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { Summary } from './summary.tsx';
import { TraceFacts } from './trace_facts.tsx';
import './start_here.css';

interface Props {
  readonly open: OpenTrace;
  readonly page: Page;
  readonly info: TraceInfo;
}

/** Questions that are shown. Help and the search have the others. */
const MOST = 5;

/**
 * Makes what is shown while nothing is selected: what the trace is and what stands out in it, questions of all features, which it answers
 * at a click, and its facts. Without the questions it still says these.
 */
export async function startHereOf(page: Page): Promise<ComponentType<Props>> {
  const starts = await loadStarts(page).catch(() => []);
  return ({ open, page, info }) => (
    <>
      <Summary open={open} page={page} info={info} />
      <Questions open={open} page={page} info={info} starts={starts} />
      <TraceFacts open={open} info={info} />
    </>
  );
}

function Questions({ open, page, info, starts }: Props & { readonly starts: readonly Start[] }) {
  const { slices } = open.trace.progress.value;
  const isLoading = open.trace.status.value.at === 'loading';
  const questions = askedOf(starts, open, page).slice(0, MOST);
  if (questions.length === 0) return null;
  return (
    <section class="start-here" aria-labelledby="start-here">
      <h2 id="start-here">Start here</h2>
      <ul>
        {questions.map(({ start, asked }) => (
          <li key={start.id}>
            <button
              type="button"
              aria-label={[asked.words, asked.figure].filter(Boolean).join(' ')}
              aria-describedby={`way-of-${start.id}`}
              disabled={isLoading}
              title={isLoading ? 'Available once the file is read' : undefined}
              onClick={() => start.answer(open, page)}
            >
              <span class="start-question">{asked.words}</span>
              {asked.figure !== undefined && <span class="start-figure">{asked.figure}</span>}
              <span class="start-way small muted" id={`way-of-${start.id}`}>
                <MarkedText text={asked.way} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {slices > 0 && (
        <p class="small muted">
          Or select a {info.offers.includes('values') ? info.recordNoun : info.sliceNoun} for details.
        </p>
      )}
    </section>
  );
}
