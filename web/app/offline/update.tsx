import type { ComponentType } from 'preact';
import type { Page } from '../../page/page.ts';

/** The line that offers a new version of the page, whose worker waits. Nothing changes until the user agrees or closes all tabs. */
export function updateLine(page: Page, registration: ServiceWorkerRegistration): ComponentType {
  const take = () => {
    const { waiting } = registration;
    // Another tab has agreed.
    if (!waiting) return location.reload();
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
    waiting.postMessage('take over');
  };
  const dismiss = () => {
    page.news.value = page.news.peek().filter((line) => line !== UpdateLine);
  };
  const UpdateLine = () => (
    <p>
      A new version of Unspool is ready.
      <button type="button" onClick={take}>
        Reload
      </button>
      <button type="button" class="plain" aria-label="Keep this version for now" onClick={dismiss}>
        ×
      </button>
    </p>
  );
  return UpdateLine;
}
