import { formatCount, formatCounted } from '../../base/format.ts';
import type { ShaderFailure } from '../../base/replay_protocol.ts';
import { ticks } from '../../base/ticks.ts';
import type { Replay } from '../../model/replay.ts';
import type { OpenTrace } from '../../model/workbench.ts';

/** Which share of the draws can be shown, and why others cannot. Known from the calls alone. */
export function CoverageOf({ open, replay }: { open: OpenTrace; replay: Replay }) {
  const coverage = replay.coverage.value;
  if (!coverage || coverage.draws === 0) return null;
  const { draws, unshown, reasons } = coverage;
  if (unshown === 0) return <p class="muted">All {formatCount(draws)} draws and clears of this trace can be shown.</p>;
  const share = Math.floor((1000 * (draws - unshown)) / draws) / 10;
  return (
    <section aria-label="What cannot be shown">
      <p class="remark">
        {share} % of {formatCount(draws)} draws and clears can be shown. {formatCounted(unshown, 'draw')} cannot:
      </p>
      <ul class="picture-reasons">
        {reasons.map(({ reason, count, first }) => (
          <li key={reason}>
            {formatCount(count)}: {reason}, first in <CallLink open={open} call={first} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A call that a click selects. */
function CallLink({ open, call }: { open: OpenTrace; call: number }) {
  const go = async () => {
    const row = await open.trace.records.recordAt(ticks(BigInt(call)), null);
    if (row) open.selection.revealRecord(row);
  };
  return (
    <button type="button" class="plain link" onClick={() => void go()}>
      call {formatCount(call)}
    </button>
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
      <pre>{log.trim()}</pre>
      <h4>In the trace</h4>
      <pre>{numbered(source)}</pre>
      {shown !== '' && <h4>For WebGL2</h4>}
      {shown !== '' && <pre>{numbered(shown)}</pre>}
    </details>
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
