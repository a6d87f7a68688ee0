import type { Signal } from '@preact/signals';
import type { SqlRange } from '../../base/trace_protocol.ts';
import type { Sql } from './sql.ts';

/** Whether the rows are of the range only, and the way to those of the whole trace; or that the range has changed since. */
export function Limit({ sql, range }: { sql: Pick<Sql, 'range' | 'text' | 'run'>; range: Signal<SqlRange | null> }) {
  const of = sql.range.value;
  const now = range.value;
  if (!of && !now) return null;
  const again = () => sql.run(sql.text.peek());
  if (of?.from === now?.from && of?.to === now?.to) {
    const showWhole = () => {
      range.value = null;
      again();
    };
    return (
      <>
        {' '}
        · limited to the range{' '}
        <button type="button" class="plain link" onClick={showWhole}>
          Show whole trace
        </button>
      </>
    );
  }
  return (
    <>
      {' '}
      · {of ? 'limited to an earlier range' : 'of the whole trace'}{' '}
      <button type="button" class="plain link" onClick={again}>
        {now ? 'Run for the range' : 'Run for the whole trace'}
      </button>
    </>
  );
}
