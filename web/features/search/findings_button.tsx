import { formatCount, formatPercent, plural } from '../../base/format.ts';
import type { Page } from '../../page/page.ts';
import { showFindings } from '../../page/show_findings.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { findingsOf } from '../../trace/findings.ts';

/**
 * Looks for findings, and shows their number once they are known. Looking takes as long as reading the file, so it begins when
 * the user asks. Renders nothing for formats without findings.
 */
export function FindingsButton({ open, page }: { open: OpenTrace; page: Page }) {
  const findings = findingsOf(open);
  const info = open.trace.info.value;
  if (!findings || !info) return null;
  const state = findings.state.value;
  const count = findings.all.value.length;
  const isDone = state.at === 'done';
  // On a phone the words are left out.
  const words = state.at === 'looking' ? `Findings… ${formatPercent(state.share, 1)}` : 'Findings';
  const isWaiting = open.trace.status.value.at === 'loading';
  return (
    <button
      type="button"
      class={isDone ? 'chip findings-button' : 'plain findings-button'}
      aria-label={isDone ? `${formatCount(count)} ${plural(count, 'finding')}` : words}
      disabled={isWaiting}
      title={isWaiting ? 'Available once the file is read' : 'List what the program wastes or does wrong'}
      onClick={() => showFindings(open, page.dock)}
    >
      {isDone ? (
        <>
          {formatCount(count)} <span class="findings-words">{plural(count, 'finding')}</span>
        </>
      ) : (
        <>
          <svg class="findings-icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
            <path d="M6 12.5h4M6.5 14.5h3M8 1.5a4.5 4.5 0 0 0-2.5 8.2c.5.4.8.8.8 1.3h3.4c0-.5.3-.9.8-1.3A4.5 4.5 0 0 0 8 1.5z" />
          </svg>
          <span class="findings-words">{words}</span>
        </>
      )}
    </button>
  );
}
