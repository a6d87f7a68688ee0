import { formatCount, formatCounted } from '../../base/format.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { CallLink } from './call_link.tsx';
import type { Coverage, ShaderFailure } from './protocol.ts';
import type { Replay } from './replay.ts';

/** Which share of the draws can be shown, and why others cannot. Known from the calls alone. */
export function CoverageOf({ open, replay }: { open: OpenTrace; replay: Replay }) {
  const coverage = replay.coverage.value;
  if (!coverage || coverage.draws === 0) return null;
  const { draws, unshown, reasons, halted } = coverage;
  if (unshown === 0)
    return (
      <>
        <p class="muted">
          {halted === ''
            ? `All ${formatCount(draws)} draws and clears of this trace can be shown.`
            : `${formatCounted(draws, 'draw')} and clears before that can be shown. Later ones were not looked at.`}
        </p>
        <Ignored open={open} coverage={coverage} />
      </>
    );
  const share = Math.floor((1000 * (draws - unshown)) / draws) / 10;
  return (
    <section aria-label="What cannot be shown">
      <p class="remark">
        {share} % of {formatCount(draws)} draws and clears can be shown. {formatCounted(unshown, 'draw')} cannot:
      </p>
      <ul class="picture-reasons">
        {reasons.map(({ reason, count }, i) => (
          <li key={reason}>
            {formatCount(count)}: {reason}, <CallsOf open={open} coverage={coverage} reason={i} />
          </li>
        ))}
      </ul>
      <p class="muted">They are marked in Calls.</p>
      <Ignored open={open} coverage={coverage} />
    </section>
  );
}

/** Functions that are not replayed although they may change pictures, each with the reason. */
function Ignored({ open, coverage: { ignored } }: { open: OpenTrace; coverage: Coverage }) {
  if (ignored.length === 0) return null;
  return (
    <details class="picture-calls">
      <summary>{formatCounted(ignored.length, 'function')} not replayed, which may change pictures</summary>
      <ul class="picture-reasons">
        {ignored.map(({ reason, count, first }) => (
          <li key={reason}>
            {reason}: {formatCounted(count, 'call')}, first in <CallLink open={open} call={first} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Calls of one reason that are listed here. The list of calls marks all. */
const MOST_LISTED = 100;

/** The draws that cannot be shown for one reason. */
function CallsOf({ open, coverage, reason }: { open: OpenTrace; coverage: Coverage; reason: number }) {
  const { count, first } = coverage.reasons[reason]!;
  if (count < 2) return <CallLink open={open} call={first} />;
  const calls = [...coverage.calls].filter((_, i) => coverage.why[i] === reason).slice(0, MOST_LISTED);
  return (
    <>
      first in <CallLink open={open} call={first} />
      <details class="picture-calls">
        <summary>List all</summary>
        <p>
          {calls.map((call, i) => (
            <span key={`${call} ${i}`}>
              {i > 0 && ', '}
              <CallLink open={open} call={call} />
            </span>
          ))}
          {count > calls.length && ` and ${formatCount(count - calls.length)} more`}
        </p>
      </details>
    </>
  );
}

/** What WebGL2 has refused, and loops that were stopped. */
export function Refusals({ open, replay }: { open: OpenTrace; replay: Replay }) {
  const refusals = replay.refusals.value;
  if (refusals.length === 0) return null;
  return (
    <section aria-label="What was refused">
      <p class="remark">The picture may differ from the traced one in {formatCounted(refusals.length, 'place')}:</p>
      <ul class="picture-reasons">
        {refusals.slice(0, MOST_LISTED).map(({ call, what }, i) => (
          <li key={`${call} ${i}`}>
            <CallLink open={open} call={call} />: {what}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Shaders that do not compile here: the log beside the source. */
export function Failures({ open, replay }: { open: OpenTrace; replay: Replay }) {
  const failures = replay.failures.value;
  if (failures.length === 0) return null;
  return (
    <section aria-label="Shaders that failed">
      <p class="remark">{formatCounted(failures.length, 'shader')} cannot be compiled by WebGL2.</p>
      {failures.slice(0, 20).map((failure, i) => (
        <Failure key={`${failure.call} ${i}`} open={open} failure={failure} />
      ))}
    </section>
  );
}

function Failure({ open, failure: { call, log, source, shown } }: { open: OpenTrace; failure: ShaderFailure }) {
  return (
    <details class="picture-failure">
      <summary>{call === 0 ? 'A shader of the fixed function' : `Shader of call ${formatCount(call)}`}</summary>
      {call > 0 && (
        <p>
          Compiled in <CallLink open={open} call={call} />
        </p>
      )}
      <Text title="Log">{log.trim()}</Text>
      <h2>In the trace</h2>
      <Text title="Shader in the trace">{numbered(source)}</Text>
      {shown !== '' && <h2>For WebGL2</h2>}
      {shown !== '' && <Text title="Shader for WebGL2">{numbered(shown)}</Text>}
    </details>
  );
}

/** Text that scrolls. */
function Text({ title, children }: { title: string; children: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: text as it is, which keys scroll.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: text as it is, which keys scroll.
    <pre tabIndex={0} role="region" aria-label={title}>
      {children}
    </pre>
  );
}

/** With numbers of lines, which the log names. */
function numbered(source: string): string {
  return source
    .split('\n')
    .slice(0, 2000)
    .map((line, i) => `${String(i + 1).padStart(4)}  ${line}`)
    .join('\n');
}
