import { plural } from '../../base/format.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';

/** What a panel shows while it has no statistics: a sentence that says why. */
export function Uncounted({ open }: { open: OpenTrace }) {
  const { trace, statistics } = open;
  const status = trace.status.value;
  const ready = status.at === 'ready';
  if (ready && (status.error?.kind === 'crashed' || status.error?.kind === 'memory')) {
    return <p class="panel-note muted">The reader of this trace has stopped. Open the file again.</p>;
  }
  if (statistics.failure.value) return <p class="panel-note muted">{statistics.failure.value}</p>;
  if (!ready || statistics.choices.value.length > 0) return <p class="panel-note muted">Counting…</p>;
  return <p class="panel-note muted">This trace has no {plural(2, trace.info.value?.sliceNoun ?? 'slice')}.</p>;
}
