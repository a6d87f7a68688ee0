import type { Finding, FindingOrder } from './findings.ts';
import type { Extent } from './view.ts';

/** A finding with what it has in a range: its count and positions are those there. */
export interface ListedFinding extends Finding {
  /** The finding in the whole trace. */
  readonly whole: Finding;
  /** The index of its first position here among those of the whole trace. */
  readonly first: number;
  /** It may be more often than {@link Finding.count} in the range, because a finding need not have all of its positions. */
  readonly isMore: boolean;
  /** The cost is that in the whole trace: in the range it is at most that. */
  readonly isAtMost: boolean;
}

/** The findings that happen in a range, with what they have there; all without a range. */
export function findingsIn(all: readonly Finding[], range: Extent | null): readonly ListedFinding[] {
  return all.flatMap((whole): readonly ListedFinding[] => {
    if (!range) return [{ ...whole, whole, first: 0, isMore: false, isAtMost: false }];
    const [from, to] = [Number(range.from), Number(range.to)];
    const positions = whole.positions.filter((at) => at >= from && at < to);
    // What has no position is after those that are known.
    const isMore = whole.positions.length < whole.count && (whole.positions.at(-1) ?? -1) + 1 < to;
    if (positions.length === 0 && !isMore) return [];
    const { length: count } = positions;
    const first = positions.length === 0 ? 0 : whole.positions.indexOf(positions[0]!);
    // Where each place costs one, the places say what they cost.
    const isEach = whole.cost.amount === whole.count;
    const cost = isEach ? { ...whole.cost, amount: count } : whole.cost;
    const isAtMost = !isEach && count < whole.count;
    return [{ ...whole, whole, count, positions, cost, first, isMore, isAtMost }];
  });
}

/** The findings of a kind, or of all with '', in an order. Equal ones stay in the order of the kinds. */
export function listed<One extends Finding>(
  all: readonly One[],
  kind: string,
  { by, descending }: { readonly by: FindingOrder; readonly descending: boolean },
): readonly One[] {
  const some = all.filter((one) => kind === '' || one.kind === kind);
  if (by === 'kind') return descending ? some.reverse() : some;
  const sign = descending ? -1 : 1;
  // Costs have several units. What is the greater part of all in its own one comes first.
  const sums = new Map<string, number>();
  for (const { cost } of some) sums.set(cost.unit, (sums.get(cost.unit) ?? 0) + cost.amount);
  const key = (one: Finding) =>
    by === 'count'
      ? one.count
      : by === 'cost'
        ? one.cost.amount / (sums.get(one.cost.unit) || 1)
        : (one.positions[0] ?? Number.POSITIVE_INFINITY);
  return some.sort((a, b) => sign * (key(a) - key(b)));
}
