import { formatLength, formatShare } from '../../base/format.ts';
import type { Clock, Details } from '../../base/protocol.ts';
import { Copyable } from '../../parts/copyable.tsx';
import type { Extent } from '../../trace/view.ts';

interface Props {
  readonly details: Pick<Details, 'start' | 'end'>;
  readonly range: Extent | null;
  readonly clock: Clock;
}

/** How much of the selected item is in the range, and how much of the range that is. Nothing without a range. */
export function RangeShare({ details, range, clock }: Props) {
  const text = range && shareText(details, range, clock);
  if (text === null) return null;
  return (
    <>
      <dt>In the range</dt>
      <dd>
        <Copyable text={text}>{text}</Copyable>
      </dd>
    </>
  );
}

/** The part of an item in a range, in words. */
export function shareText({ start, end }: Props['details'], { from, to }: Extent, clock: Clock): string {
  if (end === null) return start >= from && start < to ? 'yes' : 'no';
  const first = start > from ? start : from;
  const last = end < to ? end : to;
  if (last <= first) return start >= from && start < to ? 'yes' : 'no';
  const inside = last - first;
  const share = `${formatShare(Number(inside), Number(to - from))} of the range`;
  return inside === end - start ? share : `${formatLength(inside, clock)}, ${share}`;
}
