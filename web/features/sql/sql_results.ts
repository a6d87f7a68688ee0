import type { TraceInfo } from '../../base/protocol.ts';
import type { SqlValue } from '../../base/sql.ts';

/** How a table is sorted. */
export interface SqlSort {
  /** Number of the column. */
  readonly column: number;
  readonly descending: boolean;
}

type Row = readonly SqlValue[];

/** The order of the rows by a column, as SQLite sorts: null, numbers, texts, bytes. Equal rows keep their order. */
export function orderOf(rows: readonly Row[], { column, descending }: SqlSort): Uint32Array {
  const order = Uint32Array.from(rows, (_, i) => i);
  const sign = descending ? -1 : 1;
  return order.sort((a, b) => sign * compared(rows[a]![column] ?? null, rows[b]![column] ?? null) || a - b);
}

function rank(value: SqlValue): number {
  if (value === null) return 0;
  if (typeof value === 'string') return 2;
  return value instanceof Uint8Array ? 3 : 1;
}

function compared(a: SqlValue, b: SqlValue): number {
  const by = rank(a) - rank(b);
  if (by !== 0 || a === null || b === null) return by;
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    const length = Math.min(a.length, b.length);
    for (let i = 0; i < length; i += 1) if (a[i] !== b[i]) return a[i]! - b[i]!;
    return a.length - b.length;
  }
  // A bigint and a double compare exactly.
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Where a value leads. Ids are those of the tables. */
export type SqlLink =
  | {
      readonly to: 'position';
      readonly at: bigint;
      /** If the row says so. */
      readonly track: number | null;
      readonly depth: number | null;
    }
  | { readonly to: 'slice' | 'record'; readonly id: bigint }
  | { readonly to: 'name'; readonly id: number }
  | { readonly to: 'address'; readonly address: bigint };

/** Names of columns of addresses. */
const ADDRESSES = /^(?:pc|addr|address|.*_pc|.*_addr|.*_address)$/i;

/** What the columns of a result are, by their names: those of the tables, or what the trace calls its positions. */
export interface SqlColumns {
  /** Whether the integers of a column are addresses. */
  isAddress(column: number): boolean;
  /** Where a value of a row leads; null if it is only a value. */
  linkOf(row: Row, column: number): SqlLink | null;
}

/** The columns of a result with these names. */
export function columnsOf(
  names: readonly string[],
  { offers, clock, recordNoun, eventNoun }: Pick<TraceInfo, 'offers' | 'clock' | 'recordNoun' | 'eventNoun'>,
): SqlColumns {
  const lower = names.map((name) => name.toLowerCase());
  const hasCode = offers.includes('disassembly');
  const positions = new Set(['start', 'time', 'transition_id', 'x']);
  if (clock.kind === 'ordinal') for (const noun of [recordNoun, eventNoun, 'step', 'transition']) positions.add(noun);
  // The key of a name is an address where instructions are executed.
  const isAddress = (column: number) =>
    ADDRESSES.test(lower[column] ?? '') || (hasCode && lower[column] === 'key' && !lower.includes('symbol'));
  const place = lower.findIndex((name) => name === 'start' || name === 'time');
  const isSlice = lower.includes('start');
  const [track, depth] = ['track', 'depth'].map((name) => lower.indexOf(name));
  const small = (row: Row, column: number) => {
    const value = row[column];
    return typeof value === 'bigint' && value >= 0n && value < 1n << 32n ? Number(value) : null;
  };
  const position = (row: Row, at: bigint): SqlLink => {
    const id = small(row, track!);
    return { to: 'position', at, track: id === null ? null : id - 1, depth: small(row, depth!) };
  };
  return {
    isAddress,
    linkOf: (row, column) => {
      const value = row[column];
      if (typeof value !== 'bigint') return null;
      if (isAddress(column)) return hasCode ? { to: 'address', address: BigInt.asUintN(64, value) } : null;
      const name = lower[column]!;
      if (positions.has(name)) return position(row, value);
      const start = row[place];
      switch (name) {
        case 'id':
          return typeof start === 'bigint' ? position(row, start) : null;
        case 'parent':
          return isSlice ? { to: 'slice', id: value } : null;
        case 'slice':
        case 'slice_id':
          return { to: 'slice', id: value };
        case 'record':
        case 'record_id':
          return { to: 'record', id: value };
        case 'name_id':
          return { to: 'name', id: Number(value) - 1 };
        default:
          return null;
      }
    },
  };
}
