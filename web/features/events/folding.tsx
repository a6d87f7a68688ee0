import { formatCount, formatCounted, formatPercent, shortened, titled } from '../../base/format.ts';
import type { Page } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { KeepButton } from '../../timeline/widgets/keep.tsx';
import { LOOPS } from '../../trace/derived.ts';
import { machineOf } from '../../trace/machines.ts';
import type { Names } from '../../trace/names.ts';
import type { Fold } from './folds.ts';
import type { ListingFolds } from './listing_folds.ts';
import { findExecutions, foldsOf, keepLoops, toggleLoops } from './loops.ts';

/** The button that folds loops, how far the search for them is, and what was found. */
export function FoldBar({ open }: { open: OpenTrace }) {
  const folds = foldsOf(open);
  const isFolding = folds.isFolding.value;
  const share = folds.share.value;
  const canFold = folds.base.value !== null;
  const title = canFold
    ? 'Show only the first and the last iteration of each loop'
    : 'Loops can be folded in a listing of all steps, without a filter or a thread';
  return (
    <div class="fold-bar row rigid">
      <button
        type="button"
        class="toggle"
        aria-pressed={isFolding}
        disabled={!canFold && !isFolding}
        title={title}
        onClick={() => toggleLoops(open)}
      >
        Fold loops
      </button>
      <span class="muted" role="status">
        {share !== null ? searching(open, share) : isFolding ? folded(open, folds) : ''}
      </span>
      {share !== null && (
        <button type="button" onClick={folds.unfoldLoops}>
          Stop
        </button>
      )}
      {share === null && isFolding && folds.loops.value !== null && folds.loops.value.start.length > 0 && (
        <KeepButton
          keeping={open.derived.keeping.value.get(LOOPS)}
          reading={false}
          title="Show all loops on a track"
          onClick={() => void keepLoops(open)}
          stop={() => open.derived.stop(LOOPS)}
        />
      )}
    </div>
  );
}

function searching(open: OpenTrace, share: number): string {
  const indexed = machineOf(open).indexed.value;
  if (!indexed?.done) return `Indexing… ${formatPercent(indexed?.built ?? 0, Math.max(1, indexed?.count ?? 1))}`;
  return `Finding loops… ${formatPercent(share, 1)}`;
}

function folded(open: OpenTrace, { loops, base }: ListingFolds): string {
  const found = loops.value;
  if (!found) return '';
  const { length } = found.start;
  if (length === 0) return 'No loops';
  const more = found.unlisted > 0 ? ` + ${formatCount(found.unlisted)} within them not listed` : '';
  const isOff = base.value === null ? ' · not folded in this list' : '';
  const part = machineOf(open).indexed.value?.done === false ? ' in the indexed part' : '';
  return `${formatCounted(length, 'loop')}${more}${part}${isOff}`;
}

/** What stands in a row for hidden steps. A loop leads to its executions; anything else in the row shows the steps. */
export function FoldContent({ open, page, fold }: { open: OpenTrace; page: Page; fold: Fold }) {
  const folds = foldsOf(open);
  const { loop } = fold;
  return (
    <>
      <span aria-hidden="true">▸ </span>
      <FoldText names={open.trace.names} fold={fold} count={loop === null ? null : folds.loops.value?.count[loop]} />
      {loop !== null && (
        <button
          type="button"
          class="plain link fold-executions"
          tabIndex={-1}
          title="List all executions of the instruction that the loop begins with"
          onClick={(event) => {
            event.stopPropagation();
            findExecutions(open, page, loop);
          }}
        >
          Executions
        </button>
      )}
    </>
  );
}

interface FoldTextProps {
  readonly names: Pick<Names, 'of' | 'shown'>;
  readonly fold: Fold;
  /** Iterations of its loop. */
  readonly count: number | null | undefined;
}

/** The text of the row of a fold. The name of a call is short where the table shows short names. */
export function FoldText({ names, fold: { from, to, call }, count }: FoldTextProps) {
  const steps = formatCounted(to - from, 'step');
  if (call) return <span title={titled(names.of(call.name))}>{`${shortened(names.shown(call.name))} · ${steps}`}</span>;
  const iterations = count || 2;
  return <>{`× ${formatCount(iterations)} · ${formatCounted(iterations - 2, 'more iteration')} · ${steps}`}</>;
}
