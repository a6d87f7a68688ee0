import { formatCounted, formatPercent } from '../../base/format.ts';
import type { Dock } from '../../model/dock.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import { RESULTS } from '../find/find_bar.tsx';
import { findingsOf } from '../findings/findings.ts';

/**
 * Looks for findings, and shows their number once they are known. Looking takes as long as reading the file, so it begins when
 * somebody asks. Renders nothing for formats in which nothing looks for any.
 */
export function FindingsButton({ open, dock }: { open: OpenTrace; dock: Dock }) {
  const findings = findingsOf(open);
  const info = open.trace.info.value;
  if (!findings || !info) return null;
  const state = findings.state.value;
  const text =
    state.at === 'idle' || state.at === 'failed'
      ? 'Findings'
      : state.at === 'looking'
        ? `Findings… ${formatPercent(state.share, 1)}`
        : formatCounted(findings.all.value.length, 'finding');
  const show = () => {
    findings.look();
    findings.isShown.value = true;
    dock.open.value = true;
    dock.front.value = { ...dock.front.value, [info.format]: RESULTS };
  };
  const isWaiting = open.trace.status.value.at === 'loading';
  return (
    <button
      type="button"
      class={state.at === 'done' ? 'chip' : 'plain'}
      disabled={isWaiting}
      title={isWaiting ? 'Available once the file is read' : 'List what the program wastes or does wrong'}
      onClick={show}
    >
      {text}
    </button>
  );
}
