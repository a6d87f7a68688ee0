/*
 * Functions of SQL that SQLite as sql.js builds it lacks. `crate/cli/src/sql_functions.rs` has the same for the native command;
 * tests/sql_functions.json holds both to one meaning.
 */
import type { Database } from 'sql.js';

/** A regular expression, as the module of the filter language compiles it. */
export interface Matching {
  place(text: string): unknown;
  free(): void;
}

/** Compiles a regular expression. Throws a text that says why it is not one. */
export type Compile = (source: string) => Matching;

type Value = number | bigint | string | Uint8Array | null;

/** Numbers of a group, and which percentile of them is wanted. */
interface Group {
  numbers: Float64Array;
  count: number;
  percent: number;
}

/** Whether a query may need {@link Compile}. */
export function mentionsRegexp(sql: string): boolean {
  return /regexp/i.test(sql);
}

/** Adds the functions to a database. `compile` is asked for the first regular expression. */
export function addSqlFunctions(database: Database, compile: Compile): void {
  let latest: { readonly source: string; readonly matching: Matching } | null = null;
  const matches = (source: string, text: string): boolean => {
    if (latest?.source !== source) {
      // Most queries have one, and it is compiled for each row otherwise.
      const matching = compile(source);
      latest?.matching.free();
      latest = { source, matching };
    }
    return latest.matching.place(text) !== undefined;
  };
  database.create_function('regexp', (source: Value, text: Value) =>
    source === null || text === null ? null : Number(matches(textOf(source), textOf(text))),
  );
  const begin = (): Group => ({ numbers: new Float64Array(16), count: 0, percent: 50 });
  const finalize = ({ numbers, count, percent }: Group) => percentileOf(numbers.subarray(0, count).sort(), percent);
  database.create_aggregate('percentile', {
    init: begin,
    step: (group: Group, value: Value, percent: Value) => {
      const wanted = numberOf(percent);
      if (wanted === null || !(wanted >= 0 && wanted <= 100)) {
        throw new Error('the second argument of percentile is not a number from 0 to 100');
      }
      group.percent = wanted;
      return add(group, value);
    },
    finalize,
  });
  database.create_aggregate('median', {
    init: begin,
    step: (group: Group, value: Value) => add(group, value),
    finalize,
  });
  database.create_aggregate('stddev', {
    // Welford's method: the difference of two sums would lose all digits of times since 1970.
    init: () => ({ count: 0, mean: 0, squares: 0 }),
    step: (state: { count: number; mean: number; squares: number }, value: Value) => {
      const number = numberOf(value);
      if (number === null) return state;
      state.count += 1;
      const off = number - state.mean;
      state.mean += off / state.count;
      state.squares += off * (number - state.mean);
      return state;
    },
    finalize: ({ count, squares }) => (count < 2 ? null : Math.sqrt(squares / (count - 1))),
  });
}

function add(group: Group, value: Value): Group {
  const number = numberOf(value);
  if (number === null) return group;
  if (group.count === group.numbers.length) {
    const longer = new Float64Array(2 * group.count);
    longer.set(group.numbers);
    group.numbers = longer;
  }
  group.numbers[group.count] = number;
  group.count += 1;
  return group;
}

/** What is interpolated between the nearest of some ascending numbers; null without any. */
function percentileOf(sorted: Float64Array, percent: number): number | null {
  if (sorted.length === 0) return null;
  const place = ((sorted.length - 1) * percent) / 100;
  const low = sorted[Math.floor(place)]!;
  const high = sorted[Math.ceil(place)]!;
  return low === high ? low : low + (high - low) * (place - Math.floor(place));
}

/** A value as a number, or null for what is not one. */
function numberOf(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return null;
}

function textOf(value: Exclude<Value, null>): string {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value);
}
