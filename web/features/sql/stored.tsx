import type { Signal } from '@preact/signals';
import { shortened } from '../../base/format.ts';
import { type QueryHistory, titleOf } from '../../trace/query_history.ts';
import type { Example } from './sql_examples.ts';
import { SIDES, TABLES } from './sql_tables.ts';

/** Characters of a query in the list. */
const SHOWN = 90;
/** Tables of a database offered by name. */
const MOST_TABLES = 200;
/** The value of the entry that is not a query. */
const CLEAR = 'clear';

interface Props {
  readonly history: QueryHistory;
  readonly text: Signal<string>;
  /** By heading. */
  readonly examples: ReadonlyMap<string, readonly Example[]>;
  /** The tables of a database itself; null if there are none to be asked. */
  readonly tables: readonly string[] | null;
  /** Whether two traces are compared. */
  readonly isCompared: boolean;
  /** Gets a query. */
  readonly onChoose: (query: string) => void;
}

/** Queries to choose from, which run at once: saved, recent, examples, tables. And the way to save one. */
export function Stored({ history, text, examples, tables, isCompared, onChoose }: Props) {
  const saved = history.saved.value;
  const recent = history.recent.value.filter((query) => !saved.includes(query));
  const query = text.value.trim();
  const isSaved = saved.includes(query);
  const named = (queries: readonly string[]) =>
    queries.map((each) => (
      <option key={each} value={each}>
        {shortened(titleOf(each), SHOWN)}
      </option>
    ));
  const ofTables = (names: readonly string[]) =>
    names.map((table) => (
      <option key={table} value={`select * from ${table} limit 1000`}>
        {table}
      </option>
    ));
  return (
    <>
      <select
        class="query-stored"
        aria-label={tables ? 'Queries and tables' : 'Queries'}
        value=""
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          event.currentTarget.value = '';
          if (chosen === CLEAR) history.clear();
          else if (chosen !== '') onChoose(chosen);
        }}
      >
        <option value="">{tables ? 'Queries and tables' : 'Queries'}</option>
        {saved.length > 0 && <optgroup label="Saved">{named(saved)}</optgroup>}
        {recent.length > 0 && (
          <optgroup label="Recent">
            {named(recent)}
            <option value={CLEAR}>Clear recent queries</option>
          </optgroup>
        )}
        {[...examples].map(([heading, each]) => (
          <optgroup key={heading} label={heading}>
            {each.map(({ title, query: example }) => (
              <option key={title} value={example}>
                {title}
              </option>
            ))}
          </optgroup>
        ))}
        {tables && !isCompared && <optgroup label="Tables of every trace">{ofTables(Object.keys(TABLES))}</optgroup>}
        {tables &&
          isCompared &&
          SIDES.map((side) => (
            <optgroup key={side} label={`Tables of ${side.toUpperCase()}`}>
              {ofTables(Object.keys(TABLES).map((table) => `${side}.${table}`))}
            </optgroup>
          ))}
        {tables && tables.length > 0 && (
          <optgroup label="Tables of this database">{ofTables(tables.slice(0, MOST_TABLES))}</optgroup>
        )}
      </select>
      <button
        type="button"
        class="plain icon"
        aria-pressed={isSaved}
        aria-label="Save query"
        title={isSaved ? 'Remove this query from the saved ones' : 'Save this query in this browser'}
        disabled={query === ''}
        onClick={() => history.toggle(query)}
      >
        <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <path
            d="M7 1.2l1.8 3.7 4 .6-2.9 2.8.7 4L7 10.4l-3.6 1.9.7-4L1.2 5.5l4-.6z"
            fill={isSaved ? 'currentColor' : 'none'}
            stroke="currentColor"
            stroke-width="1.2"
            stroke-linejoin="round"
          />
        </svg>
      </button>
    </>
  );
}
