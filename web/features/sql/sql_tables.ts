/**
 * The tables and views that every trace has, with their columns; docs/sql.md says what they hold. `crate/engine/src/tables.rs` makes
 * them, and a test of `unspool sql` (`crate/cli/tests/sql.rs`) compares the two. Columns that end in `_s` exist only if the clock
 * has a frequency.
 */
export const TABLES: Readonly<Record<string, readonly string[]>> = {
  // biome-ignore format: the test reads a table a line.
  named_slices: ['id', 'name', 'start', 'dur', 'start_s', 'dur_s', 'depth', 'track_name', 'thread', 'parent', 'flags', 'track', 'name_id'],
  named_instants: ['id', 'name', 'time', 'time_s', 'track_name', 'thread', 'track', 'name_id'],
  named_counters: ['id', 'name', 'time', 'time_s', 'value', 'track'],
  slices: ['id', 'track', 'depth', 'start', 'dur', 'name', 'parent', 'flags'],
  instants: ['id', 'track', 'time', 'name'],
  counters: ['id', 'track', 'time', 'value'],
  tracks: ['id', 'kind', 'name', 'number', 'parent'],
  names: ['id', 'name', 'kind', 'key'],
  records: ['id', 'time', 'track', 'name'],
  fields: ['record', 'key', 'value', 'symbol'],
};

/** Columns by table. Tables of a database itself are called as queries call them, such as `rvn.execution`. */
export type Schema = Readonly<Record<string, readonly string[]>>;

/** Schemas of two traces that are compared. */
export const SIDES = ['a', 'b'] as const;

/** The tables of a trace. `own` are those of a database itself. With `isCompared`, also the tables of both traces. */
export function schemaOf(isTimed: boolean, own: Schema, isCompared = false): Schema {
  const every = Object.entries(TABLES).map(([table, columns]): readonly [string, readonly string[]] => [
    table,
    isTimed ? columns : columns.filter((column) => !column.endsWith('_s')),
  ]);
  const ofBoth = isCompared ? SIDES.flatMap((side) => every.map(([table, of]) => [`${side}.${table}`, of])) : [];
  return { ...Object.fromEntries(every), ...own, ...Object.fromEntries(ofBoth) };
}
