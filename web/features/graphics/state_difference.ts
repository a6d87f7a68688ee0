import type { GlRow, GlState } from './gl_state_protocol.ts';
import { type DiffLine, diffLines } from './line_diff.ts';

/** A row of state whose value differs; null on a side that does not have it. */
export interface RowDifference {
  readonly name: string;
  readonly a: GlRow | null;
  readonly b: GlRow | null;
}

/** What differs between the state at two calls. */
export interface StateDifference {
  /** Sections with rows that differ. */
  readonly sections: readonly { readonly title: string; readonly rows: readonly RowDifference[] }[];
  /** Shaders of the programs in use whose text differs, line by line, by their stage. */
  readonly shaders: readonly { readonly stage: string; readonly lines: readonly DiffLine[] }[];
}

/** Compares the state at two calls, by the names of its rows. Values are compared as they are shown, calls that set them are not. */
export function stateDifference(a: GlState, b: GlState): StateDifference {
  const titles = [...new Set([...a.sections, ...b.sections].map(({ title }) => title))];
  const sections = titles.map((title) => {
    const [first, second] = [a, b].map((state) => rowsOf(state, title)) as [Map<string, GlRow>, Map<string, GlRow>];
    const keys = [...new Set([...first.keys(), ...second.keys()])];
    const rows = keys.flatMap((key): readonly RowDifference[] => {
      const [one, other] = [first.get(key) ?? null, second.get(key) ?? null];
      return one?.text === other?.text ? [] : [{ name: (one ?? other)!.name, a: one, b: other }];
    });
    return { title, rows: title === 'Program' ? programPairs(rows) : rows };
  });
  const stages = [...new Set([...Object.keys(a.shaders), ...Object.keys(b.shaders)])];
  const shaders = stages.flatMap((stage) => {
    const [one, other] = [a.shaders[stage] ?? '', b.shaders[stage] ?? ''];
    return one === other ? [] : [{ stage, lines: diffLines(one, other) }];
  });
  return { sections: sections.filter(({ rows }) => rows.length > 0), shaders };
}

/** Rows of programs, whose names have the numbers of these: those that only one side has are of one thing, in their order. */
function programPairs(rows: readonly RowDifference[]): readonly RowDifference[] {
  const programs = (side: 'a' | 'b', opposite: 'a' | 'b') =>
    rows.flatMap((row) => (row[side] && !row[opposite] ? { ...row[side], text: programText(row[side]) } : []));
  const [rowsA, rowsB] = [programs('a', 'b'), programs('b', 'a')];
  return [
    ...rows.filter(({ a, b }) => a && b),
    ...Array.from({ length: Math.max(rowsA.length, rowsB.length) }, (_, i) => ({
      name: 'Program',
      a: rowsA[i] ?? null,
      b: rowsB[i] ?? null,
    })),
  ];
}

function programText({ name, text }: GlRow): string {
  return name === 'Program' ? text : `${name}: ${text}`;
}

/** The rows of a section by name. Those of one name have numbers, too. */
function rowsOf(state: GlState, title: string): ReadonlyMap<string, GlRow> {
  const rows = new Map<string, GlRow>();
  for (const row of state.sections.filter((section) => section.title === title).flatMap((it) => it.rows)) {
    let key = row.name;
    for (let i = 1; rows.has(key); i += 1) key = `${row.name} ${i}`;
    rows.set(key, row);
  }
  return rows;
}
