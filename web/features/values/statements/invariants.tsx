import { useSignal } from '@preact/signals';
import { formatCount, formatPercent } from '../../../base/format.ts';
import type { Invariant } from '../../../base/values_protocol.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import type { Iterations } from '../iterations.ts';

const KINDS: Readonly<Record<Invariant['relation'], readonly [title: string, says: string]>> = {
  equal: ['equal', 'Two variables are equal'],
  size: ['buffer size', 'A variable is the number of bytes left in the buffer of a pointer'],
  linear: ['linear', 'A variable is a multiple of another one, plus a constant'],
  constant: ['constant', 'A variable has one value'],
  'one-of': ['one of a few', 'A variable has one of a few values'],
  'not-null': ['never null', 'A pointer is not null'],
  'at-most': ['order', 'A variable is at most another one, and their ranges overlap'],
  apart: ['apart', 'All values of a variable are below all of another one'],
};

/** A query with the signs of mathematics. */
function inSigns(query: string): string {
  return query.replaceAll('<=', '≤').replaceAll('!=', '≠').replaceAll(' * ', ' · ');
}

/** The cells of an invariant, for a person who takes the table along. */
export function invariantTexts({ query, relation, holds, exceptions }: Invariant): readonly string[] {
  return [query, KINDS[relation][0], `${holds}`, `${exceptions}`];
}

const COLUMNS: readonly Column<Invariant>[] = [
  {
    title: 'Invariant',
    class: 'words',
    width: '46%',
    cell: ({ query }) => inSigns(query),
    look: ({ query }) => ({ title: query }),
    value: ({ query }) => query,
  },
  {
    title: 'Kind',
    class: 'words',
    cell: ({ relation }) => <span class="muted">{KINDS[relation][0]}</span>,
    look: ({ relation }) => ({ title: KINDS[relation][1] }),
    value: ({ relation }) => KINDS[relation][0],
  },
  {
    title: 'Holds',
    says: 'Occurrences at which it holds',
    cell: ({ holds }) => formatCount(holds),
    value: ({ holds }) => holds,
  },
  {
    title: 'Exceptions',
    says: 'Occurrences at which it does not hold',
    cell: ({ exceptions }) => (exceptions === 0 ? 'none' : formatCount(exceptions)),
    value: ({ exceptions }) => exceptions,
  },
  {
    title: 'Share',
    says: 'Occurrences at which it holds, of those that have its variables',
    cell: ({ holds, exceptions }) => formatPercent(holds, holds + exceptions),
    value: ({ holds, exceptions }) => holds / (holds + exceptions),
  },
];

/** What likely always holds at a statement. A row leads to its exceptions, or to where it holds if it has none. */
export function InvariantTable({ model }: { model: Iterations }) {
  const current = useSignal(-1);
  const found = model.invariants.value;
  if (!found) return <p class="panel-note muted">Comparing variables…</p>;
  const choose = (row: number) => {
    current.value = row;
    const invariant = found[row];
    if (!invariant) return;
    const { exceptions, exceptionsQuery, query } = invariant;
    if (exceptionsQuery !== '') model.showWhere(exceptions > 0 ? exceptionsQuery : query);
  };
  return (
    <Table
      class="row-table"
      label="Invariants"
      id="invariant"
      count={found.length}
      row={(number) => found[number] ?? null}
      columns={COLUMNS}
      sorts={found}
      narrowedBy={[found]}
      current={current.value}
      choose={(row) => {
        current.value = row;
      }}
      click={choose}
      act={choose}
      look={() => ({ title: 'Show the exceptions, or where it holds if there are none' })}
      empty="No relation holds at nearly all occurrences. At least three are needed."
    />
  );
}
