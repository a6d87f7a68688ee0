import type { OpenTrace } from '../../../timeline/open_trace.ts';

/** A sentence while values are read. */
export function waiting({ trace }: OpenTrace, what: string): string {
  return trace.status.value.at === 'loading' ? `${what} read once the file has been read.` : 'Reading values…';
}

/** What could not be read. */
export function Failed({ what, retry }: { what: string; retry: () => void }) {
  return (
    <p class="panel-note muted" role="alert">
      The {what} could not be read.{' '}
      <button type="button" onClick={retry}>
        Try again
      </button>
    </p>
  );
}
