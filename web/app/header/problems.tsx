import { useSignal } from '@preact/signals';
import { formatCount, formatOffset } from '../../base/format.ts';
import type { Problem } from '../../base/protocol.ts';
import { Popover, PopoverButton } from '../../parts/popover.tsx';
import type { Trace } from '../../trace/trace.ts';
import { problemsLabel } from '../../trace/tracks.ts';

/** Problems per request. */
const PAGE = 100;

/** The number of problems in the file, and a list of them on a click. Renders nothing if there are none. */
export function Problems({ trace }: { trace: Trace }) {
  // While another file is read, there may be none.
  const shown = useSignal(false);
  // How much was read before a limit is beside this.
  const problems = trace.progress.value.problems.filter(({ isLimit }) => !isLimit);
  const status = trace.status.value;
  const error = status.at === 'ready' ? status.error : null;
  const broken = error?.kind === 'limit' || error?.kind === 'unreadable' ? null : error;
  const count = problems.reduce((sum, kind) => sum + kind.count, 0) + (broken ? 1 : 0);
  if (count === 0) return null;
  const serious = broken !== null || problems.some((kind) => kind.serious);
  return (
    <PopoverButton
      place="problems"
      look={serious ? 'chip warning' : 'chip'}
      shown={shown}
      content={() => (
        <Popover label="Problems in the file">
          {broken && (
            <div class="problem">
              <p class="problem-title warning-text">Reading stopped early</p>
              <p>{broken.sentence}</p>
              {broken.offset !== null && <p class="muted">{formatOffset(broken.offset)}</p>}
            </div>
          )}
          {problems.map((kind) => (
            <div class="problem" key={kind.kind}>
              <p class={kind.serious ? 'problem-title warning-text' : 'problem-title'}>{kind.summary}</p>
              <p class="muted">
                {kind.count > 1 ? 'First' : 'At'} {formatOffset(kind.first.offset, trace.info.value?.placeNoun)}:{' '}
                {kind.first.sentence}
              </p>
            </div>
          ))}
          {count > 1 && <EachProblem trace={trace} />}
        </Popover>
      )}
    >
      {serious && <span aria-hidden="true">⚠ </span>}
      {problemsLabel(problems, broken !== null)}
    </PopoverButton>
  );
}

function EachProblem({ trace }: { trace: Trace }) {
  const list = useSignal<readonly Problem[]>([]);
  const total = useSignal<number | null>(null);
  const more = async () => {
    const reply = await trace.problems(list.peek().length, PAGE);
    if (!reply) return;
    list.value = [...list.peek(), ...reply.problems];
    total.value = reply.total;
  };
  const left = total.value === null ? null : total.value - list.value.length;
  return (
    <div class="problem">
      {list.value.length > 0 && (
        <ol class="problem-list">
          {list.value.map((problem, i) => (
            <li key={i}>
              <span class="problem-offset">{formatCount(problem.offset)}</span>
              <span>{problem.sentence}</span>
            </li>
          ))}
        </ol>
      )}
      {left !== 0 && (
        <button type="button" onClick={() => void more()}>
          {left === null ? 'List all' : `Show ${formatCount(Math.min(left, PAGE))} of ${formatCount(left)} more`}
        </button>
      )}
    </div>
  );
}
