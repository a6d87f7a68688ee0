import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatCount, formatCounted, shortened } from '../../base/format.ts';
import { type MenuItem, useMenu } from '../../parts/menu/request.ts';
import { anchorOf } from '../../parts/popover.tsx';
import { Segments } from '../../parts/segments.tsx';
import type { Column } from '../../parts/table.tsx';
import type { Pair } from '../../timeline/open_trace.ts';
import type { FoundSuspects, PointsOfRun, SuspectStatement, SuspectValues } from './protocol.ts';
import type { Runs } from './runs.ts';
import { AddRun, RunList } from './runs_bar.tsx';
import { bestOf, type CountedRun, type Suspects, showRun } from './suspects.ts';
import { type List, Listed, matching } from './values_tables.tsx';
import { wordsOf } from './work.ts';

interface Props {
  readonly suspects: Suspects;
  readonly runs: Runs;
  readonly pair: Pair;
  /** What chooses the view. */
  readonly lead: ComponentChildren;
  readonly filter: ComponentChildren;
}

/** Characters of a file's name in a menu and a link. */
const LONGEST = 40;
/** Most runs in a menu. */
const MOST_RUNS = 30;

/** What goes with failing, if runs of A passed and runs of B failed: statements, or values at them. */
export function SuspectsOfBoth({ suspects, runs, pair, lead, filter }: Props) {
  const state = suspects.state.value;
  const { ofValues } = suspects;
  const choice = (
    <>
      {lead}
      <Segments
        label="What is ranked"
        options={[
          ['statements', 'Statements'],
          ['values', 'Values'],
        ]}
        value={ofValues.value ? 'values' : 'statements'}
        choose={(next) => {
          ofValues.value = next === 'values';
        }}
      />
      {filter}
      <AddRun runs={runs} />
    </>
  );
  if (state.at !== 'done') {
    return (
      <>
        <div class="panel-bar">{choice}</div>
        <p class="panel-note muted">{state.at === 'working' ? 'Reading the runs…' : wordsOf(state)}</p>
        <RunSummary runs={runs} pair={pair} />
      </>
    );
  }
  const props = {
    found: state.found,
    counted: state.runs,
    names: state.names,
    pair,
    choice,
    filter: suspects.filter.value,
  };
  const summary = <RunSummary runs={runs} pair={pair} />;
  return ofValues.value ? <Values {...props}>{summary}</Values> : <Statements {...props}>{summary}</Statements>;
}

/** How many runs there are, and which, once opened. */
function RunSummary({ runs, pair }: Pick<Props, 'runs' | 'pair'>) {
  const all = [...runs.a.all.value, ...runs.b.all.value];
  const wrong = all.filter(({ failure }) => failure !== '').length;
  const count = (side: 'a' | 'b') => formatCount(1 + runs[side].all.value.length);
  return (
    <details class="suspect-runs small">
      <summary>
        A: {count('a')} passed · B: {count('b')} failed
        {wrong > 0 && <span class="wrong"> · {formatCounted(wrong, 'file')} cannot be read</span>}
      </summary>
      <RunList runs={runs} pair={pair} compared={null} isWhole />
    </details>
  );
}

interface ListProps {
  readonly found: FoundSuspects;
  readonly counted: readonly CountedRun[];
  readonly names: ReadonlyMap<string, string>;
  readonly pair: Pair;
  readonly filter: string;
  readonly choice: ComponentChildren;
  readonly children: ComponentChildren;
}

type Placed = Pick<SuspectStatement, 'points' | 'failed' | 'passed'>;

function Statements({ found, counted, names, pair, filter, choice, children }: ListProps) {
  const list = useMemo((): List<SuspectStatement> => {
    const nameOf = ({ name }: SuspectStatement) => names.get(name) ?? name;
    const sizes = sizesOf(counted);
    return {
      rows: matching(found.statements, filter, nameOf),
      all: found.statements.length,
      noun: 'statement',
      columns: [
        statementColumn(nameOf),
        runsColumn(pair, counted, 'failed', 'reached it', () => sizes.failed),
        runsColumn(pair, counted, 'passed', 'reached it', () => sizes.passed),
        figureColumn(
          'Ochiai',
          'From 0 to 1: 1 if all runs that failed reached it, and no other',
          ({ ochiai }) => ochiai,
        ),
        figureColumn(
          'Tarantula',
          'From 0 to 1: the share of failed runs that reached it, of that share and that of passed runs',
          ({ tarantula }) => tarantula,
        ),
        firstColumn(pair, counted),
      ],
      head: ['Statement', 'Failed', 'Passed', 'Ochiai', 'Tarantula', 'Points'],
      texts: (row) => [
        nameOf(row),
        `${row.failed}`,
        `${row.passed}`,
        `${row.ochiai}`,
        `${row.tarantula}`,
        pointsText(row.points, counted),
      ],
      choose: (row) => go(pair, row.points, counted),
      none: 'No run reached a statement.',
    };
  }, [found, counted, names, pair, filter]);
  return (
    <Listed key="statements" label="Suspicious statements" list={list} sentence={found.sentence} choice={choice}>
      {children}
    </Listed>
  );
}

function Values({ found, counted, names, pair, filter, choice, children }: ListProps) {
  const list = useMemo((): List<SuspectValues> => {
    const nameOf = ({ statement }: SuspectValues) => names.get(statement) ?? statement;
    return {
      rows: matching(found.tests, filter, (row) => `${row.query} ${nameOf(row)}`),
      all: found.tests.length,
      noun: 'relation',
      columns: [
        {
          title: 'Holds',
          says: 'What holds at one point of the statement or more',
          class: 'words',
          cell: ({ query }) => <span class="mono">{query.replaceAll('!=', '≠')}</span>,
          look: ({ query }) => ({ title: query }),
          value: ({ query }) => query,
        },
        statementColumn(nameOf),
        runsColumn(pair, counted, 'failed', 'have it', ({ failedAt }) => failedAt),
        runsColumn(pair, counted, 'passed', 'have it', ({ passedAt }) => passedAt),
        figureColumn(
          'Lift',
          'How many times as likely failing is in runs where it holds as in all that have these variables there',
          ({ lift }) => lift,
        ),
        figureColumn(
          'Ochiai',
          'From 0 to 1: 1 if it holds in all runs that failed, and in no other',
          ({ ochiai }) => ochiai,
        ),
        firstColumn(pair, counted),
      ],
      head: ['Holds', 'Statement', 'Failed', 'Failed at', 'Passed', 'Passed at', 'Lift', 'Ochiai', 'Points'],
      texts: (row) => [
        row.query,
        nameOf(row),
        ...[row.failed, row.failedAt, row.passed, row.passedAt, row.lift, row.ochiai].map(String),
        pointsText(row.points, counted),
      ],
      choose: (row) => go(pair, row.points, counted),
      none: 'What holds in runs that failed holds as often in runs that passed.',
    };
  }, [found, counted, names, pair, filter]);
  return (
    <>
      <Listed key="values" label="Suspicious values" list={list} sentence={found.sentence} choice={choice}>
        {children}
      </Listed>
      {found.isCut && <p class="panel-note muted">Not all values were looked at or are listed: there are too many.</p>}
    </>
  );
}

function go(pair: Pair, points: readonly PointsOfRun[], counted: readonly CountedRun[]): void {
  const best = bestOf(points, counted);
  if (best) void showRun(pair, points, counted, best);
}

function sizesOf(counted: readonly CountedRun[]): { readonly failed: number; readonly passed: number } {
  const failed = counted.filter(({ side }) => side === 'b').length;
  return { failed, passed: counted.length - failed };
}

/** All points of a row, for files. */
function pointsText(points: readonly PointsOfRun[], counted: readonly CountedRun[]): string {
  return points.map(({ run, point, count }) => `${counted[run]?.name}:${point} (${count})`).join(' ');
}

function statementColumn<Row>(nameOf: (row: Row) => string): Column<Row> {
  return {
    title: 'Statement',
    class: 'words',
    cell: (row) => shortened(nameOf(row)),
    look: (row) => ({ title: nameOf(row) }),
    value: nameOf,
  };
}

function figureColumn<Row>(title: string, says: string, figure: (row: Row) => number): Column<Row> {
  return { title, says, width: '88px', cell: (row) => figure(row).toFixed(2), value: figure };
}

/** How many runs of one kind, with a menu of them. `of`: of how many. */
function runsColumn<Row extends Placed>(
  pair: Pair,
  counted: readonly CountedRun[],
  which: 'failed' | 'passed',
  does: string,
  of: (row: Row) => number,
): Column<Row> {
  const side = which === 'failed' ? 'b' : 'a';
  return {
    title: which === 'failed' ? 'Failed' : 'Passed',
    says: `Runs that ${which} and ${does}`,
    width: '110px',
    cell: (row) => (
      <RunsCell
        pair={pair}
        counted={counted}
        points={row.points}
        side={side}
        text={`${formatCount(row[which])} of ${formatCount(of(row))}`}
      />
    ),
    value: (row) => row[which],
  };
}

interface CellProps {
  readonly pair: Pair;
  readonly counted: readonly CountedRun[];
  readonly points: readonly PointsOfRun[];
  readonly side: 'a' | 'b';
  readonly text: string;
}

/** A number of runs. A click lists them, with their points. */
function RunsCell({ pair, counted, points, side, text }: CellProps) {
  const show = useMenu();
  const own = points.filter(({ run }) => counted[run]?.side === side);
  if (own.length === 0) return <span class="muted">{text}</span>;
  const items = own.slice(0, MOST_RUNS).map(
    (at): MenuItem => ({
      id: `run-${at.run}`,
      title: `${shortened(counted[at.run]?.name ?? '', LONGEST)}: ${formatCounted(at.count, 'point')}, first ${formatCount(at.point)}`,
      run: () => void showRun(pair, points, counted, at),
    }),
  );
  return (
    <button
      type="button"
      class="plain link"
      aria-haspopup="menu"
      tabIndex={-1}
      title="Show the points of a run"
      onClick={(event) => {
        event.stopPropagation();
        const { currentTarget, detail } = event;
        const at = anchorOf(currentTarget, 2);
        show({ label: 'Points of a run', items, at, byKey: detail === 0, button: currentTarget });
      }}
    >
      {text}
    </button>
  );
}

/** The first point of the run that a row leads to. */
function firstColumn<Row extends Placed>(pair: Pair, counted: readonly CountedRun[]): Column<Row> {
  return {
    title: 'First at',
    says: 'The first point, in a run that failed if there is one',
    width: '88px',
    cell: ({ points }) => {
      const best = bestOf(points, counted);
      if (!best) return '';
      const { side, name } = counted[best.run]!;
      return (
        <button
          type="button"
          class="plain link"
          tabIndex={-1}
          title={`First at point ${formatCount(best.point)} of ${shortened(name, LONGEST)}, on side ${side.toUpperCase()}`}
          onClick={(event) => {
            event.stopPropagation();
            void showRun(pair, points, counted, best);
          }}
        >
          {formatCount(best.point)}
        </button>
      );
    },
    value: ({ points }) => bestOf(points, counted)?.point ?? null,
  };
}
