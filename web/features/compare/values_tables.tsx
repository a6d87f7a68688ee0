import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount, formatCounted, formatNumeral, shortened } from '../../base/format.ts';
import { SideMark } from '../../parts/side_mark.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import type { Pair } from '../../timeline/open_trace.ts';
import { OverlayChart } from './overlay_chart.tsx';
import type { BrokenRelation, ComparedStatement, ComparedValues, ComparedVariable, PlacedValue } from './protocol.ts';
import type { RecordDifferences } from './records.ts';
import { type PointOf, showPoint, showPoints, type ValueDifferences } from './values.ts';
import { wordsOf } from './work.ts';

/** The lists of what differs between the values of two traces. */
export type ValuesView = 'statements' | 'variables' | 'relations';

type Side = 'a' | 'b';
const SIDES = ['a', 'b'] as const;

interface Props {
  readonly differences: ValueDifferences;
  readonly records: RecordDifferences;
  readonly pair: Pair;
  readonly view: ValuesView;
  /** What chooses the view, and the filter. */
  readonly choice: ComponentChildren;
}

/** CSS pixels of the narrowest column of names. */
const NAMES = 130;

/** What one of the lists shows of the filter's matches. */
export interface List<Row> {
  readonly rows: readonly Row[];
  readonly all: number;
  readonly noun: string;
  readonly columns: readonly Column<Row>[];
  readonly head: readonly string[];
  readonly texts: (row: Row) => readonly string[];
  readonly choose: (row: Row) => void;
  /** Without any row, whatever the filter is. */
  readonly none: string;
}

/** The values of both: how often statements are reached, the ranges of variables, and relations that only one keeps. */
export function ValuesOfBoth({ differences, records, pair, view, choice }: Props) {
  const state = differences.state.value;
  if (state.at !== 'done') {
    return (
      <>
        <div class="panel-bar">{choice}</div>
        <p class="panel-note muted">{wordsOf(state)}</p>
      </>
    );
  }
  const props = { found: state.found, pair, filter: differences.filter.value, choice };
  return view === 'variables' ? (
    <Variables {...props} records={records} />
  ) : view === 'relations' ? (
    <Relations {...props} />
  ) : (
    <Statements {...props} />
  );
}

interface ListProps extends Pick<Props, 'choice'> {
  readonly found: ComparedValues;
  readonly pair: Pair;
  readonly filter: string;
}

function Statements({ found, pair, filter, choice }: ListProps) {
  const list = useMemo((): List<ComparedStatement> => {
    const nameOf = ({ name }: ComparedStatement) => nameIn(pair, name);
    const count = (side: Side): Column<ComparedStatement> => ({
      id: `count-${side}`,
      title: `Points ${side.toUpperCase()}`,
      says: `How often ${side.toUpperCase()} reaches the statement`,
      width: '100px',
      cell: (row) => (row[side] ? formatCount(row[side].count) : ''),
      value: (row) => row[side]?.count ?? null,
    });
    const first = (side: Side): Column<ComparedStatement> => ({
      id: `first-${side}`,
      title: `First ${side.toUpperCase()}`,
      says: `The first point of ${side.toUpperCase()} at the statement`,
      width: '100px',
      cell: (row) => placed(pair, side, row[side] && { point: row[side].first, track: row[side].track }),
      value: (row) => row[side]?.first ?? null,
    });
    return {
      rows: matching(found.statements, filter, nameOf),
      all: found.statements.length,
      noun: 'statement',
      columns: [
        {
          title: 'Statement',
          class: 'words',
          cell: (row) => shortened(nameOf(row)),
          look: (row) => ({ title: nameOf(row) }),
          value: nameOf,
        },
        {
          title: 'Difference',
          says: 'Points in B minus those in A',
          width: '100px',
          cell: ({ difference }) => signed(difference),
          value: ({ difference }) => difference,
        },
        count('a'),
        count('b'),
        first('a'),
        first('b'),
        verdictColumn('reaches it'),
      ],
      head: ['Statement', 'Difference', 'Points A', 'Points B', 'First A', 'First B', 'Verdict'],
      texts: (row) => [
        nameOf(row),
        `${row.difference}`,
        ...SIDES.map((side) => `${row[side]?.count ?? ''}`),
        ...SIDES.map((side) => `${row[side]?.first ?? ''}`),
        row.verdict,
      ],
      choose: (row) => {
        const [a, b] = SIDES.map((side) => row[side] && { point: row[side].first, track: row[side].track });
        void showPoints(pair, a!, b!);
      },
      none: 'Neither trace reaches a statement.',
    };
  }, [found, pair, filter]);
  return <Listed key="statements" list={list} sentence={found.sentence} choice={choice} />;
}

function Variables({ found, pair, filter, choice, records }: ListProps & Pick<Props, 'records'>) {
  const chosen = useSignal<ComparedVariable | null>(null);
  useEffect(() => {
    chosen.value = null;
  }, [found]);
  const list = useMemo((): List<ComparedVariable> => {
    const extreme = (side: Side, of: 'lowest' | 'highest'): Column<ComparedVariable> => ({
      id: `${of}-${side}`,
      title: `${of === 'lowest' ? 'Lowest' : 'Highest'} ${side.toUpperCase()}`,
      says: `Where it is first, in ${side.toUpperCase()}`,
      width: '88px',
      cell: (row) => value(pair, side, row[side]?.[of] ?? null),
      value: (row) => sortable(row[side]?.[of] ?? null),
    });
    const number = (side: Side, of: 'count' | 'different', title: string, says: string): Column<ComparedVariable> => ({
      id: `${of}-${side}`,
      title: `${title} ${side.toUpperCase()}`,
      says: `${says} in ${side.toUpperCase()}`,
      width: '84px',
      cell: (row) => (row[side] ? formatCount(row[side][of]) : ''),
      value: (row) => row[side]?.[of] ?? null,
    });
    const figures = SIDES.flatMap((side) => [
      [`Lowest ${side.toUpperCase()}`, ({ [side]: of }: ComparedVariable) => of?.lowest?.text ?? ''] as const,
      [`Highest ${side.toUpperCase()}`, ({ [side]: of }: ComparedVariable) => of?.highest?.text ?? ''] as const,
      [`Values ${side.toUpperCase()}`, ({ [side]: of }: ComparedVariable) => `${of?.count ?? ''}`] as const,
      [`Different ${side.toUpperCase()}`, ({ [side]: of }: ComparedVariable) => `${of?.different ?? ''}`] as const,
    ]);
    return {
      rows: matching(found.variables, filter, ({ name, type }) => `${name} ${type}`),
      all: found.variables.length,
      noun: 'variable',
      columns: [
        {
          title: 'Variable',
          class: 'words',
          cell: ({ name, type }) => (
            <>
              <b>{name || '(no name)'}</b> <span class="muted">{type}</span>
            </>
          ),
          look: ({ name, type }) => ({ title: `${name}: ${type}` }),
          value: ({ name }) => name,
        },
        extreme('a', 'lowest'),
        extreme('b', 'lowest'),
        extreme('a', 'highest'),
        extreme('b', 'highest'),
        number('a', 'count', 'Points', 'Points that have it,'),
        number('b', 'count', 'Points', 'Points that have it,'),
        number('a', 'different', 'Different', 'Different values,'),
        number('b', 'different', 'Different', 'Different values,'),
        verdictColumn('has it'),
      ],
      head: ['Variable', 'Type', ...figures.map(([title]) => title), 'Verdict'],
      texts: (row) => [row.name, row.type, ...figures.map(([, text]) => text(row)), row.verdict],
      choose: (row) => {
        chosen.value = row;
        void showPoints(pair, row.a?.highest ?? null, row.b?.highest ?? null);
      },
      none: 'Neither trace has variables.',
    };
  }, [found, pair, filter]);
  return (
    <>
      <Listed key="variables" list={list} sentence={found.sentence} choice={choice} />
      {chosen.value && (
        <OverlayChart pair={pair} records={records} variable={chosen.value} close={() => (chosen.value = null)} />
      )}
    </>
  );
}

function Relations({ found, pair, filter, choice }: ListProps) {
  const list = useMemo((): List<BrokenRelation> => {
    const nameOf = ({ statement }: BrokenRelation) => nameIn(pair, statement);
    const breaking = ({ inB }: BrokenRelation): Side => (inB ? 'a' : 'b');
    return {
      rows: matching(found.relations, filter, (row) => `${row.query} ${nameOf(row)}`),
      all: found.relations.length,
      noun: 'relation',
      columns: [
        {
          title: 'Always holds',
          class: 'words',
          cell: ({ query }) => (
            <span class="mono">{query.replaceAll('<=', '≤').replaceAll('!=', '≠').replaceAll(' * ', ' · ')}</span>
          ),
          look: ({ query }) => ({ title: query }),
          value: ({ query }) => query,
        },
        {
          title: 'Statement',
          class: 'words',
          cell: (row) => shortened(nameOf(row)),
          look: (row) => ({ title: nameOf(row) }),
          value: nameOf,
        },
        {
          title: 'In',
          says: 'The trace in which it always holds',
          class: 'words',
          width: '60px',
          cell: ({ inB }) => <SideMark side={inB ? 'b' : 'a'} />,
          value: ({ inB }) => (inB ? 1 : 0),
        },
        {
          title: 'Holds',
          says: 'Points at which it holds there',
          width: '100px',
          cell: ({ holds }) => formatCount(holds),
          value: ({ holds }) => holds,
        },
        {
          title: 'Broken by',
          says: 'The trace in which it does not always hold',
          class: 'words',
          width: '80px',
          cell: (row) => <SideMark side={breaking(row)} />,
          value: ({ inB }) => (inB ? 0 : 1),
        },
        {
          title: 'Exceptions',
          says: 'Points of the other trace at which it does not hold, if their number is known',
          width: '100px',
          cell: ({ exceptions }) => (exceptions === null ? '' : formatCount(exceptions)),
          value: ({ exceptions }) => exceptions,
        },
        {
          title: 'First at',
          says: 'The first point at which it does not hold',
          width: '100px',
          cell: (row) => placed(pair, breaking(row), { point: row.first, track: row.track }),
          value: ({ first }) => first,
        },
      ],
      head: ['Always holds', 'Statement', 'In', 'Holds', 'Broken by', 'Exceptions', 'First at'],
      texts: (row) => [
        row.query,
        nameOf(row),
        row.inB ? 'B' : 'A',
        `${row.holds}`,
        row.inB ? 'A' : 'B',
        `${row.exceptions ?? ''}`,
        `${row.first}`,
      ],
      choose: (row) => void showPoint(pair, breaking(row), { point: row.first, track: row.track }),
      none: 'What always holds at a statement of one trace holds in the other, too.',
    };
  }, [found, pair, filter]);
  return (
    <>
      <Listed key="relations" list={list} sentence={found.sentence} choice={choice} />
      {found.isCut && <p class="panel-note muted">Not all relations were looked at: there are too many variables.</p>}
    </>
  );
}

interface ListedProps<Row> extends Pick<ListProps, 'choice'> {
  readonly list: List<Row>;
  readonly sentence: string;
  /** What the table is called. */
  readonly label?: string;
  /** What stands between the sentence and the table. */
  readonly children?: ComponentChildren;
}

/** A table of one of the lists, which sorts itself, below what differs in words. */
export function Listed<Row>({ list, sentence, choice, label, children }: ListedProps<Row>) {
  const { rows, all, noun, columns, head, texts, choose, none } = list;
  const title = label ?? `Differences between ${noun}s`;
  const current = useSignal(-1);
  useEffect(() => {
    current.value = -1;
  }, [rows]);
  return (
    <>
      <div class="panel-bar">
        {choice}
        <span class="muted" role="status">
          {rows.length < all ? `${formatCount(rows.length)} of ` : ''}
          {formatCounted(all, noun)}
        </span>
        {rows.length > 0 && (
          <TakeTable name={label ?? `${noun} differences`} head={head} rows={() => atOnce(rows, texts)} />
        )}
      </div>
      <p class="difference-sentence" role="status">
        {sentence}
      </p>
      {children}
      <Table
        label={title}
        id={`${label ? 'suspect' : 'value'}-${noun}`}
        sorts={rows}
        narrowedBy={[rows]}
        count={rows.length}
        row={(at) => rows[at] ?? null}
        columns={columns}
        current={current.value}
        choose={(at) => {
          current.value = at;
          const row = rows[at];
          if (row) choose(row);
        }}
        empty={all === 0 ? none : `No ${noun} matches.`}
        minWidth={`${columns.reduce((sum, { width }) => sum + (Number.parseInt(width ?? '', 10) || NAMES), 0)}px`}
      />
    </>
  );
}

export function matching<Row>(rows: readonly Row[], filter: string, textOf: (row: Row) => string): readonly Row[] {
  const wanted = filter.trim().toLowerCase();
  return wanted === '' ? rows : rows.filter((row) => textOf(row).toLowerCase().includes(wanted));
}

/** The name that either trace's companions give a statement. */
export function nameIn({ a, b }: Pair, own: string): string {
  const shown = a.trace.names.inPlaceOf(own);
  return shown === own ? b.trace.names.inPlaceOf(own) : shown;
}

function signed(number: number): string {
  return number === 0 ? '0' : `${number > 0 ? '+' : '−'}${formatCount(Math.abs(number))}`;
}

function verdictColumn<Row extends { readonly verdict: string }>(does: string): Column<Row> {
  return {
    title: 'Verdict',
    class: 'words',
    width: '90px',
    cell: ({ verdict }) =>
      verdict === 'new' || verdict === 'gone' ? (
        <>
          <SideMark side={verdict === 'new' ? 'b' : 'a'} /> {verdict}
        </>
      ) : (
        verdict
      ),
    look: ({ verdict }) => ({
      class: verdict === 'same' ? 'words muted' : 'words difference-changed',
      title: verdict === 'new' ? `Only B ${does}` : verdict === 'gone' ? `Only A ${does}` : undefined,
    }),
    value: ({ verdict }) => verdict,
  };
}

/** A link to a point of a trace. */
function placed(pair: Pair, side: Side, at: PointOf | null, text?: string): ComponentChildren {
  if (!at) return '';
  return (
    <button
      type="button"
      class="plain link"
      tabIndex={-1}
      title={`First at point ${formatCount(at.point)} of ${side.toUpperCase()}`}
      onClick={(event) => {
        event.stopPropagation();
        void showPoint(pair, side, at);
      }}
    >
      {text ?? formatCount(at.point)}
    </button>
  );
}

function value(pair: Pair, side: Side, of: PlacedValue | null): ComponentChildren {
  return of ? placed(pair, side, of, formatNumeral(of.text)) : <span class="muted">–</span>;
}

/** What a value is sorted by: numbers as numbers, addresses as texts of one length. */
function sortable(of: PlacedValue | null): number | string | null {
  if (!of) return null;
  const number = Number(of.text);
  return Number.isNaN(number) ? of.text : number;
}
