import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatCounted, shortened } from '../base/format.ts';
import { isRanged } from '../base/ranged.ts';
import { createScope } from '../base/scope.ts';
import type { Notice } from '../page/notices.ts';
import type { Workbench } from '../page/workbench.ts';
import { Lazy } from '../parts/lazy.tsx';

/** Characters of a notice, which may have names of files in it. */
const LONGEST_NOTICE = 600;
/** Milliseconds that a notice stays at least, and how much longer for each character: slow readers need about that. */
const SHORTEST_STAY_MS = 6000;
const STAY_MS_PER_CHARACTER = 80;

interface Props {
  readonly workbench: Workbench;
  readonly choose: () => void;
  /** Lines about the page itself. */
  readonly news: ReadonlySignal<readonly ComponentType[]>;
}

const loadWaits = async () => (await import('./served/loaded.tsx')).Waits;

/** What the page has to say, below the header: questions, failures, and what leaves by itself. */
export function Notices({ workbench, choose, news }: Props) {
  const changed = workbench.changed.value;
  const bench = workbench.bench.value;
  const open = bench.at === 'open' ? bench.open : null;
  /** The trace whose limit the user keeps. */
  const kept = useSignal(0);
  const notice = workbench.notice.value;
  const shortage = open?.trace.shortage.value ?? '';
  const offered = workbench.offered.value;
  const looking = workbench.looking.value;
  const limited = open?.trace.canGoOn.value && kept.value !== open.id;
  const dismissShortage = () => {
    if (open) open.trace.shortage.value = '';
  };
  return (
    // Not atomic: a reader hears what is new, and nothing that was there before.
    <div class="notice row" role="status" aria-atomic="false">
      {offered && (
        <p>
          {offered.isSent && `Another page has sent ${shortened(offered.name)}. `}
          Open {offered.isSent ? 'it' : shortened(offered.name)} in place of this trace
          {offered.compare && ', or compare the two'}?
          {offered.compare && (
            <button type="button" onClick={offered.compare}>
              Compare
            </button>
          )}
          <button type="button" onClick={offered.accept}>
            Open{offered.compare && ' instead'}
          </button>
          <button type="button" onClick={offered.decline}>
            Keep this trace
          </button>
        </p>
      )}
      {looking && (
        <p>
          Looking at {formatCounted(looking.files, 'file')}…
          <button type="button" onClick={workbench.cancel}>
            Cancel
          </button>
        </p>
      )}
      {changed && (
        <p>
          {changed.sentence}
          <button type="button" onClick={changed.canRead ? () => void workbench.readAgain() : choose}>
            {changed.canFollow ? 'Follow' : changed.canRead ? 'Read it again' : 'Choose it again'}
          </button>
          <Dismiss label="Keep what was read" dismiss={() => (workbench.changed.value = null)} />
        </p>
      )}
      {limited && (
        <p>
          Reading stopped at a limit. This file may need more memory than is available.
          <button type="button" onClick={workbench.goOn}>
            Go on
          </button>
          <Dismiss label="Keep the limit" dismiss={() => (kept.value = open.id)} />
        </p>
      )}
      {!offered && notice && <Told key={notice.number} notice={notice} dismiss={workbench.dismissNotice} />}
      {!offered && !notice && shortage !== '' && (
        <p>
          {shortage}
          <Dismiss label="Dismiss" dismiss={dismissShortage} />
        </p>
      )}
      {news.value.map((News) => (
        <News key={News} />
      ))}
      {open && isRanged(open.file) && <Lazy load={loadWaits} props={{}} />}
    </div>
  );
}

/** A sentence about the last action. */
function Told({ notice, dismiss }: { notice: Notice; dismiss: () => void }) {
  const text = shortened(notice.sentence, LONGEST_NOTICE);
  const content = (
    <>
      {text}
      <Dismiss label="Dismiss" dismiss={dismiss} />
    </>
  );
  return notice.stays ? (
    <p>{content}</p>
  ) : (
    <Leaving after={Math.max(SHORTEST_STAY_MS, text.length * STAY_MS_PER_CHARACTER)} leave={dismiss}>
      {content}
    </Leaving>
  );
}

interface LeavingProps {
  /** Milliseconds in sight. */
  readonly after: number;
  readonly leave: () => void;
  readonly children: ComponentChildren;
}

/** A notice that leaves by itself, but not while the pointer or the focus is on it, or while the page is hidden. */
function Leaving({ after, leave, children }: LeavingProps) {
  const element = useRef<HTMLParagraphElement>(null);
  const last = useRef(leave);
  last.current = leave;
  useEffect(() => {
    const host = element.current;
    if (!host) return undefined;
    const scope = createScope();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const held = { pointer: false, focus: false };
    const count = () => {
      clearTimeout(timer);
      if (held.pointer || held.focus || document.hidden) return;
      timer = setTimeout(() => last.current(), after);
    };
    const hold = (by: keyof typeof held, isHeld: boolean) => () => {
      held[by] = isHeld;
      count();
    };
    scope.listen(host, 'pointerenter', hold('pointer', true));
    scope.listen(host, 'pointerleave', hold('pointer', false));
    scope.listen(host, 'focusin', hold('focus', true));
    scope.listen(host, 'focusout', hold('focus', false));
    scope.listen(document, 'visibilitychange', count);
    scope.add(() => clearTimeout(timer));
    count();
    return scope.dispose;
  }, [after]);
  return <p ref={element}>{children}</p>;
}

function Dismiss({ label, dismiss }: { label: string; dismiss: () => void }) {
  return (
    <button type="button" class="plain" aria-label={label} onClick={dismiss}>
      ×
    </button>
  );
}
