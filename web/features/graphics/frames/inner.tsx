import type { ComponentChild } from 'preact';
import { formatBytes, formatCount, formatCounted } from '../../../base/format.ts';
import type { OpenedFrame } from '../../../base/survey_protocol.ts';
import type { FrameRow } from '../frame_rows.ts';

interface FoldProps {
  /** null if there is nothing to open. */
  readonly isOpen: boolean | null;
  readonly toggle: () => void;
  readonly row: FrameRow;
}

/** Opens a frame or a group in place. */
export function Fold({ isOpen, toggle, row: { frame, item, folded } }: FoldProps) {
  if (isOpen === null) return <span class="frames-fold" />;
  const what = item < 0 ? `frame ${formatCount(frame)}` : folded > 0 ? formatCounted(folded, 'call') : 'the group';
  return (
    <button
      type="button"
      class="plain frames-fold"
      tabIndex={-1}
      aria-expanded={isOpen}
      aria-label={`${isOpen ? 'Fold' : 'Open'} ${what}`}
      onClick={(event) => {
        event.stopPropagation();
        toggle();
      }}
    />
  );
}

/** A group of calls with its figures, a call with its arguments, or calls between two draws. */
export function InnerRow({ of, row, fold }: { of: OpenedFrame; row: FrameRow; fold: ComponentChild }) {
  const { item, folded } = row;
  const isGroup = of.isGroup[item] === 1;
  const [calls = 0, draws = 0, clears = 0, uploaded = 0] = of.figures.subarray(4 * item, 4 * item + 4);
  const facts = [
    formatCounted(calls, 'call'),
    draws > 0 && formatCounted(draws, 'draw'),
    clears > 0 && formatCounted(clears, 'clear'),
    uploaded > 0 && `${formatBytes(uploaded)} uploaded`,
  ].filter((fact) => fact !== false);
  const isLast = item + Math.max(1, folded) === of.depth.length;
  return (
    <span class="frames-line row" style={{ paddingLeft: `${16 * (of.depth[item]! + 1)}px` }}>
      {fold}
      {folded > 0 ? (
        <>
          <span class="muted" data-cell>
            {formatCounted(folded, 'call')}
          </span>
          <span class="mono muted" data-cell>
            {namesOf(of, item, folded)}
          </span>
        </>
      ) : (
        <>
          {!isGroup && (
            <span class="muted frames-call" data-cell>
              {formatCount(of.call[item]!)}
            </span>
          )}
          <span class={isGroup ? 'frames-group' : 'mono'} data-cell>
            {of.text[item] || 'Unnamed group'}
          </span>
          {isGroup && (
            <span class="muted" data-cell>
              {facts.join(', ')}
            </span>
          )}
        </>
      )}
      {isLast && of.leftOut > 0 && <span class="muted">{formatCounted(of.leftOut, 'further call')} not listed</span>}
    </span>
  );
}

/** Functions that are named in place of folded calls. */
const MOST_NAMED = 4;

/** The functions of folded calls, each once. */
function namesOf({ text }: OpenedFrame, item: number, folded: number): string {
  const names = new Set<string>();
  for (let at = item; at < item + folded && names.size <= MOST_NAMED; at += 1) names.add(text[at]!.split('(')[0]!);
  const all = [...names];
  return all.length > MOST_NAMED ? `${all.slice(0, MOST_NAMED).join(', ')}, …` : all.join(', ');
}
