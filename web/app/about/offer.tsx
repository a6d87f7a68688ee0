import { effect } from '@preact/signals';
import { failures, noteFailure } from '../../base/failures.ts';
import type { Page } from '../../page/page.ts';
import { showReport } from './commands.ts';

/**
 * Offers a report of each failure that should not happen, in a line below the header. Whatever sentence a panel has about it, this is
 * where the report is. Notes what fails in the page itself, too; workers say it through `startWorker`.
 */
export function offerReports(page: Page): void {
  window.addEventListener('error', ({ error, message }) => note(error ?? message));
  window.addEventListener('unhandledrejection', ({ reason }) => note(reason));
  const dismiss = () => {
    page.news.value = page.news.peek().filter((line) => line !== Line);
  };
  const Line = () => (
    <p>
      Something failed unexpectedly.
      <button type="button" onClick={() => showReport(page)}>
        Copy report…
      </button>
      <button type="button" class="plain" aria-label="Dismiss the failure" onClick={dismiss}>
        ×
      </button>
    </p>
  );
  effect(() => {
    if (failures.value.length > 0) page.news.value = [...new Set(page.news.peek()).add(Line)];
  });
}

/** Notes something thrown, unless it only says that something was cancelled. */
function note(thrown: unknown): void {
  if (thrown instanceof DOMException && thrown.name === 'AbortError') return;
  noteFailure('page', (thrown instanceof Error && thrown.stack) || String(thrown));
}
