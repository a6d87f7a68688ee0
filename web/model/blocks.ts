import { type ReadonlySignal, signal } from '@preact/signals';

/** Rows of a block, which are requested together, and blocks kept. */
const BLOCK = 64;
const KEPT = 64;

/** The rows of a long table, in blocks that are fetched as they come into sight. */
export interface Blocks<Row> {
  /** Counts arrivals of rows. */
  readonly version: ReadonlySignal<number>;
  /** null if it has not arrived. */
  row(number: number): Row | null;
  /** Requests the rows of a part that are not there yet, `end` exclusive, and calls `arrived` after each arrival. */
  want(first: number, end: number, arrived?: () => void): void;
  /** Some rows, for a person who takes them along. null if they are outdated. */
  page(first: number, count: number): Promise<readonly Row[] | null>;
  /** Makes all rows outdated. */
  renew(): void;
  /** Changes with {@link Blocks.renew}. */
  era(): number;
}

/** No rows yet, of a table of `count` rows. `fetch` gets some of them. */
export function createBlocks<Row>(
  fetch: (first: number, count: number) => Promise<readonly Row[] | null>,
  count: () => number,
): Blocks<Row> {
  const version = signal(0);
  const blocks = new Map<number, readonly Row[]>();
  const requested = new Set<number>();
  let era = 0;
  const page = async (first: number, rows: number) => {
    const at = era;
    const found = await fetch(first, rows);
    return era === at ? found : null;
  };
  return {
    version,
    page,
    era: () => era,
    row: (number) => blocks.get(Math.floor(number / BLOCK))?.[number % BLOCK] ?? null,
    want: (first, end, arrived) => {
      const last = Math.min(end, count());
      for (let block = Math.floor(first / BLOCK); block * BLOCK < last; block += 1) {
        if (blocks.has(block) || requested.has(block)) continue;
        requested.add(block);
        void page(block * BLOCK, BLOCK).then((rows) => {
          if (!rows) return;
          requested.delete(block);
          blocks.set(block, rows);
          for (const oldest of blocks.keys()) {
            if (blocks.size <= KEPT) break;
            blocks.delete(oldest);
          }
          version.value += 1;
          arrived?.();
        });
      }
    },
    renew: () => {
      era += 1;
      blocks.clear();
      requested.clear();
      version.value += 1;
    },
  };
}
