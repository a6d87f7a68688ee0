import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatCount } from '../../base/format.ts';
import type { Details } from '../../base/protocol.ts';
import type { Contexts } from '../../base/survey_protocol.ts';
import { ticks } from '../../base/ticks.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { goToPosition } from '../../timeline/go_to.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { KeepButton } from '../../timeline/widgets/keep.tsx';
import { surveyOf } from '../../trace/surveys.ts';
import { areSeveral, CONTEXTS, contextLanes, sharing, switchAt } from './contexts.ts';

/** The context that is current after a call, on its thread. */
export function CallContext({ open, details }: { open: OpenTrace; details: Details }) {
  const survey = surveyOf(open);
  const found = useSignal<Contexts | null>(null);
  // They are known when all calls were read.
  const isReady = survey.resources.value !== null;
  useEffect(() => {
    let current = true;
    if (isReady) {
      void survey.ask.contexts().then((contexts) => {
        if (current) found.value = contexts;
      });
    }
    return () => {
      current = false;
    };
  }, [survey, isReady]);
  const contexts = found.value;
  const thread = details.fields.find(({ name }) => name === 'Thread')?.value;
  if (!contexts || thread?.t !== 'int') return null;
  const at = switchAt(contexts, Number(thread.v), Number(details.start));
  const context = contexts.context[at];
  if (at < 0 || context === undefined) return null;
  const handle = contexts.handle[context];
  const others = sharing(contexts, context).map((other) => other + 1);
  return (
    <>
      <dt>Context</dt>
      <dd>
        {handle === undefined ? (
          'None'
        ) : (
          <Copyable text={handle}>
            {context + 1} · {handle}
          </Copyable>
        )}{' '}
        <span class="muted">since</span>{' '}
        <button
          type="button"
          class="plain link"
          title="Select this call"
          onClick={() => void goToPosition(ticks(BigInt(contexts.call[at]!)), open)}
        >
          call {formatCount(contexts.call[at]!)}
        </button>
        {others.length > 0 && <span class="muted"> · shares objects with {others.join(', ')}</span>}
        {areSeveral(contexts) && <KeepContexts open={open} contexts={contexts} />}
      </dd>
    </>
  );
}

/** Keeps a track of each context above the others. */
function KeepContexts({ open: { trace, derived }, contexts }: { open: OpenTrace; contexts: Contexts }) {
  return (
    <div>
      <KeepButton
        keeping={derived.keeping.value.get(CONTEXTS)}
        reading={trace.status.value.at === 'loading'}
        title="Show when each context was current, and on which thread, as a track per context"
        onClick={() => {
          const { lanes, found } = contextLanes(contexts, Number(trace.progress.peek().extent?.to ?? 0n));
          derived.keepLanes(CONTEXTS, lanes, found);
        }}
        stop={() => derived.stop(CONTEXTS)}
      />
    </div>
  );
}
