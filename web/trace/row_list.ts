import { type ReadonlySignal, type Signal, signal } from '@preact/signals';

/** Rows of a block, if its owner says nothing else, and blocks kept. */
const BLOCK = 64;
const KEPT = 64;

/** Where the rows of a list come from. */
export interface RowSource<Row> {
  /**
   * Gets rows from number `first` on, and calls `take` with them, or with null if there are none now. `take` returns false if a newer
   * request or another list takes precedence. May be called again meanwhile.
   */
  ask(first: number, count: number, take: (rows: readonly Row[] | null) => boolean): void;
  /** Number of rows of the list as it is now. */
  count(): number;
  /** Selects what a row is about: the user has chosen it. */
  select?(row: Row, number: number): void;
  /** Rows of a block, which are requested together: 64 if left out. */
  readonly block?: number;
}

/** The rows of a list of any length, which are fetched in blocks as they come into sight, with a current row. */
export interface RowList<Row> {
  /** Grows when rows have arrived. */
  readonly version: ReadonlySignal<number>;
  /** Number of the current row, or -1. */
  readonly current: Signal<number>;
  /** A row, or null if it is not there yet. */
  row(number: number): Row | null;
  /** Requests the rows of a part that are not there yet, `end` exclusive; with `again` those that are there, too. */
  want(first: number, end: number, again?: boolean): void;
  /** Makes a row the current one, and selects it: when it arrives, if it is not there yet. */
  choose(number: number): void;
  /** The list has grown: rows stay until their replacements arrive. */
  grow(): void;
  /** It is another list: no row is there. */
  renew(): void;
  /** Changes with {@link RowList.grow} and {@link RowList.renew}. */
  era(): number;
}

/** A list without rows. */
export function createRowList<Row>({ ask, count, select, block = BLOCK }: RowSource<Row>): RowList<Row> {
  const version = signal(0);
  const current = signal(-1);
  /** By number, the oldest first. */
  const blocks = new Map<number, readonly Row[]>();
  /** Those of a list that has grown since. */
  const outdated = new Set<number>();
  /** The blocks of the newest request, `end` exclusive, until it is answered. */
  let asking: { readonly first: number; readonly end: number } | null = null;
  /** A row that is to be chosen when it arrives, or -1. */
  let awaited = -1;
  let era = 0;

  const row = (number: number) => blocks.get(Math.floor(number / block))?.[number % block] ?? null;
  const put = (first: number, rows: readonly Row[]) => {
    for (let at = 0; at < rows.length; at += block) {
      const number = first + at / block;
      blocks.delete(number);
      outdated.delete(number);
      blocks.set(number, rows.slice(at, at + block));
    }
    for (const oldest of blocks.keys()) {
      if (blocks.size <= KEPT) break;
      blocks.delete(oldest);
      outdated.delete(oldest);
    }
    version.value = version.peek() + 1;
    if (awaited >= 0 && awaited === current.peek() && row(awaited) !== null) choose(awaited);
  };
  const choose = (number: number) => {
    current.value = number;
    const chosen = row(number);
    awaited = chosen === null ? number : -1;
    if (chosen !== null) select?.(chosen, number);
  };
  return {
    version,
    current,
    row,
    choose,
    want: (first, end, again = false) => {
      const isThere = (number: number) => !again && blocks.has(number) && !outdated.has(number);
      let from = Math.floor(first / block);
      let to = Math.ceil(Math.min(end, count()) / block);
      while (from < to && isThere(from)) from += 1;
      while (from < to && isThere(to - 1)) to -= 1;
      if (from >= to || (!again && asking && from >= asking.first && from < asking.end)) return;
      const request = { first: from, end: to };
      const at = era;
      asking = request;
      ask(from * block, (to - from) * block, (rows) => {
        // Rows of another list are of no use.
        if (era !== at) return false;
        const isNewest = asking === request;
        if (isNewest) asking = null;
        if (rows) put(from, rows);
        return isNewest;
      });
    },
    grow: () => {
      for (const number of blocks.keys()) outdated.add(number);
      asking = null;
      era += 1;
      version.value = version.peek() + 1;
    },
    renew: () => {
      blocks.clear();
      outdated.clear();
      asking = null;
      awaited = -1;
      era += 1;
      version.value = version.peek() + 1;
    },
    era: () => era,
  };
}
