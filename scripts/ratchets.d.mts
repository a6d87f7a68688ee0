import type { Place } from './ratchets/counters.mjs';

/** See ratchets.mjs. */
export function judge(
  places: readonly Place[],
  file: string | undefined,
): { isOk: boolean; text: string; sum: number; limit: number; risen: string[] };
export function formatCounts(counts: Readonly<Record<string, number>>): string;
