import type { Completion, Completions } from '../../trace/completion.ts';
import { type Schema, SIDES } from './sql_tables.ts';

/** Most completions shown. */
const MOST = 12;
/** Most names of a trace that are looked at, so that typing stays fluent. */
const MOST_NAMES = 200_000;

const KEYWORDS = (
  'select,from,where,group by,order by,having,limit,join,left join,on,using,as,and,or,not,in,like,glob,between,is,null,' +
  'distinct,union all,with,case,when,then,else,end,asc,desc,exists,over,partition by'
).split(',');

const FUNCTIONS: readonly (readonly [name: string, meaning: string])[] = [
  ['count(', 'Number of rows'],
  ['sum(', 'Sum'],
  ['avg(', 'Average'],
  ['min(', 'Smallest'],
  ['max(', 'Largest'],
  ['total(', 'Sum as a real number'],
  ['group_concat(', 'Texts, joined'],
  ['printf(', "Text, such as printf('0x%x', pc)"],
  ['coalesce(', 'First argument that is not null'],
  ['substr(', 'Part of a text'],
  ['length(', 'Characters or bytes'],
  ['instr(', 'Position of a text in another'],
  ['percentile(', 'Percentile of a column, such as percentile(dur, 90)'],
  ['median(', 'Median of a column'],
  ['stddev(', 'Standard deviation of a column'],
  ['regexp', "Whether a text matches: name regexp '^gl'"],
  ['round(', 'Rounded'],
  ['ceil(', 'Rounded up'],
  ['floor(', 'Rounded down'],
  ['sqrt(', 'Square root'],
  ['log(', 'Base-10 logarithm, or log(base, x)'],
  ['pow(', 'Power'],
  ['abs(', 'Absolute value'],
  ['cast(', 'Converted to another type'],
  ['hex(', 'Bytes as text'],
  ['lag(', 'Value in the previous row'],
  ['lead(', 'Value in the next row'],
  ['row_number(', 'Row number'],
];

/** What completions are made of. */
export interface SqlKnown {
  readonly schema: Schema;
  /** Names in each trace. */
  readonly names: readonly (readonly string[])[];
}

/** What may stand at the caret of a query: tables, columns of the tables that it names, names of the trace in texts. */
export function sqlCompletions(text: string, caret: number, known: SqlKnown): Completions {
  const before = text.slice(0, caret);
  const open = openText(before);
  if (open !== null) return inText(text, open, caret, known.names);
  const word = /[\w$]*$/.exec(before)![0];
  const from = caret - word.length;
  const to = caret + /^[\w$]*/.exec(text.slice(caret))![0].length;
  const none: Completions = { from, to, items: [] };
  if (/--[^\n]*$/.test(before) || /^\d/.test(word)) return none;
  const tables = tablesIn(text, known.schema);
  const qualifier = /([\w$]+)\s*\.\s*$/.exec(before.slice(0, from))?.[1]?.toLowerCase();
  if (qualifier !== undefined) {
    const columns = known.schema[tables.get(qualifier) ?? ''] ?? [];
    const schema = `${qualifier}.`;
    const own = Object.keys(known.schema).filter((table) => table.startsWith(schema));
    const items = [...columns.map(column), ...own.map((table) => item(table.slice(schema.length), 'Table'))];
    return { from, to, items: like(word, items) };
  }
  // Tables of two traces follow the schema.
  const isOfSide = (table: string) => SIDES.some((side) => table.startsWith(`${side}.`));
  const sides = SIDES.filter((side) => `${side}.slices` in known.schema);
  const all = [
    ...Object.keys(known.schema)
      .filter((table) => !isOfSide(table))
      .map((table) => item(table, 'Table')),
    ...sides.map((side) => item(`${side}.`, `Tables of trace ${side.toUpperCase()}`)),
  ];
  // A name of a table is expected.
  if (/\b(?:from|join)\s+$/i.test(before.slice(0, from))) return { from, to, items: like(word, all, all.length) };
  if (word === '') return none;
  const named = new Set(tables.values());
  const columns = [...(named.size > 0 ? named : Object.keys(known.schema))].flatMap(
    (table) => known.schema[table] ?? [],
  );
  const aliases = [...tables.keys()]
    .filter((alias) => !(alias in known.schema))
    .map((alias) => item(alias, 'Table here'));
  const words = KEYWORDS.map((keyword) => item(keyword, ''));
  const functions = FUNCTIONS.map(([name, meaning]) => item(name, meaning));
  const items = [...[...new Set(columns)].map(column), ...aliases, ...all, ...functions, ...words];
  return { from, to, items: like(word, items) };
}

/** The tables that a query reads, by the names under which it speaks of them. */
function tablesIn(text: string, schema: Schema): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const bare = text.replace(/'(?:[^']|'')*'?/g, "''").replace(/--[^\n]*/g, '');
  for (const [, name, alias] of bare.matchAll(/\b([\w$]+(?:\.[\w$]+)?)(?=(?:\s+(?:as\s+)?([a-z_]\w*))?)/gi)) {
    const table = name!.toLowerCase();
    if (!(table in schema)) continue;
    found.set(table.slice(table.lastIndexOf('.') + 1), table);
    if (alias && !RESERVED.test(alias)) found.set(alias.toLowerCase(), table);
  }
  return found;
}

const RESERVED =
  /^(?:on|using|where|group|order|having|limit|join|left|inner|cross|natural|union|except|intersect|as|set|window)$/i;

/** Where the text begins that is open at the end: the place of its quote. null if there is none. */
function openText(before: string): number | null {
  let open: number | null = null;
  for (let i = 0; i < before.length; i += 1) {
    if (open !== null && before.startsWith("''", i)) i += 1;
    else if (before[i] === "'") open = open === null ? i : null;
    else if (open === null && before.startsWith('--', i)) {
      const end = before.indexOf('\n', i);
      if (end < 0) return null;
      i = end;
    }
  }
  return open;
}

/** Names in a text that begins with the quote at `open`. */
function inText(text: string, open: number, caret: number, traces: SqlKnown['names']): Completions {
  const from = open + 1;
  const typed = text.slice(from, caret).replaceAll("''", "'").toLowerCase();
  const isClosed = text[caret] === "'";
  const starting: string[] = [];
  const containing: string[] = [];
  for (const names of typed === '' ? [] : traces) {
    const limit = Math.min(names.length, MOST_NAMES);
    for (let i = 0; i < limit && starting.length < MOST; i += 1) {
      const at = names[i]!.toLowerCase().indexOf(typed);
      if (at === 0) starting.push(names[i]!);
      else if (at > 0 && containing.length < MOST) containing.push(names[i]!);
    }
  }
  const items = [...new Set([...starting, ...containing])].slice(0, MOST).map((name) => {
    const quoted = name.replaceAll("'", "''");
    return item(isClosed ? quoted : `${quoted}'`, '');
  });
  return { from, to: caret, items };
}

function item(text: string, meaning: string): Completion {
  return { text, meaning };
}

function column(text: string): Completion {
  return item(text, 'Column');
}

/** Those that begin with a word, each once. */
function like(word: string, items: readonly Completion[], most = MOST): readonly Completion[] {
  const typed = word.toLowerCase();
  const seen = new Set<string>();
  const fits = items.filter(({ text }) => {
    const lower = text.toLowerCase();
    if (!lower.startsWith(typed) || lower === typed || seen.has(lower)) return false;
    seen.add(lower);
    return true;
  });
  return fits.slice(0, most);
}
