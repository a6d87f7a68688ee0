import type { Signal } from '@preact/signals';
import type { SqlRange } from '../../base/trace_protocol.ts';
import type { Sql } from './sql.ts';

interface Props {
  readonly sql: Pick<Sql, 'ranges' | 'text' | 'run'>;
  /** The ranges of the traces that the rows are of. */
  readonly ranges: readonly Signal<SqlRange | null>[];
}

/** Whether the rows are of the range only, and the way to those of the whole trace; or that the range has changed since. */
export function Limit({ sql, ranges }: Props) {
  const of = sql.ranges.value;
  const now = ranges.map(({ value }) => value);
  const [wasLimited, isLimited] = [of, now].map((all) => all.some((range) => range !== null));
  if (!wasLimited && !isLimited) return null;
  const isOne = ranges.length === 1;
  const whole = isOne ? 'whole trace' : 'whole traces';
  const range = isOne ? 'range' : 'ranges';
  const again = () => sql.run(sql.text.peek());
  if (now.every((range, i) => of[i]?.from === range?.from && of[i]?.to === range?.to)) {
    const showWhole = () => {
      for (const each of ranges) each.value = null;
      again();
    };
    return (
      <>
        {' '}
        · limited to the {range}{' '}
        <button type="button" class="plain link" onClick={showWhole}>
          Show {whole}
        </button>
      </>
    );
  }
  const earlier = isOne ? 'an earlier range' : 'earlier ranges';
  return (
    <>
      {' '}
      · {wasLimited ? `limited to ${earlier}` : `of the ${whole}`}{' '}
      <button type="button" class="plain link" onClick={again}>
        Run for the {isLimited ? range : whole}
      </button>
    </>
  );
}
