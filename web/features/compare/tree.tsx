import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount, formatCounted } from '../../base/format.ts';
import { plainLength, plainTitle } from '../../base/plain.ts';
import type { Clock } from '../../base/protocol.ts';
import { widthOfHead, widthOfText } from '../../parts/columns.ts';
import { Segments } from '../../parts/segments.tsx';
import type { Column } from '../../parts/table.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import { ActionsOfFunction, Chips } from '../../timeline/widgets/path_changes.tsx';
import { TreeTable } from '../../timeline/widgets/tree_table.tsx';
import { layRows, type TreeRow } from '../../trace/call_tree.ts';
import type { Compared, Comparison } from './comparison.ts';
import { changeText, lengthOf } from './figures.ts';
import { PathsButton } from './paths_button.tsx';
import type { ComparedTree } from './protocol.ts';

interface Props {
  readonly comparison: Comparison;
  readonly compared: Compared;
  readonly clock: Clock;
  /** Chooses a row of the comparison, in both traces. */
  readonly choose: (row: number) => void;
  /** What the bar begins with. */
  readonly lead: ComponentChildren;
  /** What changed, in words, below the bar. */
  readonly sentence: ComponentChildren;
}

const DIRECTIONS = [
  ['down', 'Top down'],
  ['up', 'Bottom up'],
] as const;
/** CSS pixels of the narrowest column of names. */
const NAMES = 200;

type Figure = 'total' | 'own' | 'count';

/** The call paths of both as a tree, by what changed most: joined by path, from outermost calls or from functions to callers. */
export function DifferenceTree({ comparison, compared, clock, choose, lead, sentence }: Props) {
  const { chosen } = comparison;
  const { paths, tree } = compared;
  const answer = comparison.tree.value;
  const inverted = tree.inverted.value;
  const rows = useMemo(
    () =>
      computed((): readonly TreeRow[] => {
        const now = comparison.tree.value;
        if (!now || now.asked.inverted !== tree.inverted.value) return [];
        const { columns, asked } = now;
        return layRows(columns, (by) => figuresBy(columns, asked.inverted, by), tree.sort.value, paths.names);
      }),
    [comparison, compared],
  );
  const columns = answer?.columns;
  // Everything that was opened at once is open from then on.
  useEffect(() => {
    if (answer && answer.asked.everything !== null && answer.asked === tree.rowsAsked.peek()) {
      tree.tookEverything(rows.peek());
    }
  }, [answer, tree, rows]);
  const figures = useMemo(() => (columns ? columnsOf(columns, inverted, clock) : []), [columns, inverted, clock]);
  const isKnown = answer?.asked.inverted === inverted;
  const none =
    paths.changes.value.length > 0 ? 'No call path is left after these changes.' : 'Neither trace has calls here.';
  return (
    <>
      <div class="panel-bar difference-bar">
        {lead}
        <Segments
          label="Direction"
          options={DIRECTIONS}
          value={inverted ? 'up' : 'down'}
          choose={(direction) => {
            tree.inverted.value = direction === 'up';
            tree.row.value = '';
          }}
        />
        <PathsButton paths={paths} />
        <ActionsOfFunction
          name={chosen.value}
          names={paths.names}
          notListed={null}
          list={(row) => {
            choose(row);
            comparison.view.value = 'calls';
          }}
          isSandwich={false}
          sandwich={(row) => {
            paths.sandwich(row);
            comparison.view.value = 'flame';
          }}
          paths={paths}
        />
        {columns && <Take comparison={comparison} compared={compared} rows={rows} clock={clock} />}
      </div>
      {sentence}
      <Chips paths={paths} names={paths.names} />
      {columns ? (
        <TreeTable
          label="Call tree of both"
          id="difference-tree"
          tree={tree}
          rows={rows}
          names={paths.names}
          nameAt={({ index }) => columns.name[index]!}
          figures={figures}
          narrowedBy={[paths.changes.value]}
          minWidth={`${figures.reduce((sum, { width }) => sum + Number.parseInt(width ?? '0', 10), NAMES)}px`}
          choose={choose}
          act={(row) => {
            choose(row);
            comparison.view.value = 'calls';
          }}
          empty={isKnown ? none : undefined}
        >
          {columns.cut > 0 && (
            <p class="panel-note muted">{`${formatCounted(columns.cut, 'row')} left out. Close rows, or filter paths.`}</p>
          )}
        </TreeTable>
      ) : (
        <div class="grow" aria-busy="true" />
      )}
    </>
  );
}

/** What a column sorts by; null for names. Differences sort by their magnitudes. */
function figuresBy(columns: ComparedTree, inverted: boolean, by: string): ArrayLike<number> | null {
  const [of, side] = by.split('-') as [Figure | 'change' | 'name', 'a' | 'b' | undefined];
  if (of === 'name') return null;
  if (of === 'change') return changesOf(columns, inverted ? 'own' : 'total').map(Math.abs);
  return columnOf(columns, of, side ?? 'a');
}

function columnOf(columns: ComparedTree, of: Figure, side: 'a' | 'b'): Float64Array {
  return columns.both[`${of}${side === 'a' ? 'A' : 'B'}`];
}

function changesOf(columns: ComparedTree, of: Figure): Float64Array {
  const [a, b] = [columnOf(columns, of, 'a'), columnOf(columns, of, 'b')];
  return b.map((value, i) => value - a[i]!);
}

function columnsOf(columns: ComparedTree, inverted: boolean, clock: Clock): readonly Column<TreeRow>[] {
  const wide = (title: string, texts: readonly string[]) =>
    `${Math.max(widthOfHead(title), ...texts.map(widthOfText))}px`;
  const some = Array.from({ length: Math.min(300, columns.length) }, (_, i) => i);
  const by = inverted ? 'own' : 'total';
  const changes = changesOf(columns, by);
  const change = (i: number) => changeText(Math.round(changes[i]!), clock);
  const figure = (of: Figure, title: string, says: string, side: 'a' | 'b'): Column<TreeRow> => {
    const values = columnOf(columns, of, side);
    const calls = columnOf(columns, 'count', side);
    // What a side does not call has no figures there.
    const text = (i: number) => {
      if (calls[i] === 0) return '';
      return of === 'count' ? formatCount(values[i]!) : lengthOf(values[i]!, clock);
    };
    const letter = side.toUpperCase();
    return {
      id: `${of}-${side}`,
      title: `${title} ${letter}`,
      says: `${says} ${letter}`,
      width: wide(`${title} A`, some.map(text)),
      key: `${of}-${side}`,
      cell: ({ index }) => text(index),
    };
  };
  const total = 'Time in the function and its callees, called from here; recursive calls count once; in';
  const self = inverted
    ? 'Self time of the function at the top of the path, called from here; in'
    : 'Time in the function itself, called from here; in';
  return [
    {
      id: 'change',
      title: 'Difference',
      says: `${inverted ? 'Self' : 'Total'} time in B minus that in A`,
      width: wide('Difference', some.map(change)),
      key: 'change',
      cell: ({ index }) => change(index),
    },
    figure('total', 'Total', total, 'a'),
    figure('total', 'Total', total, 'b'),
    figure('own', 'Self', self, 'a'),
    figure('own', 'Self', self, 'b'),
    figure('count', 'Calls', 'Number of calls in', 'a'),
    figure('count', 'Calls', 'Number of calls in', 'b'),
  ];
}

interface TakeProps extends Pick<Props, 'comparison' | 'compared' | 'clock'> {
  readonly rows: { peek(): readonly TreeRow[] };
}

/** Copies the open rows, or saves them: lengths as numbers. */
function Take({ comparison, compared, rows, clock }: TakeProps) {
  const sides = ['a', 'b'] as const;
  const head = ['Level', 'Function'];
  for (const title of ['Total', 'Self']) {
    for (const side of sides) head.push(plainTitle(`${title} ${side.toUpperCase()}`, clock));
  }
  head.push('Calls A', 'Calls B');
  const texts = ({ level, index }: TreeRow) => {
    const { columns } = comparison.tree.peek()!;
    const times = (['total', 'own'] as const).flatMap((of) => sides.map((side) => columnOf(columns, of, side)[index]!));
    return [
      String(level),
      compared.paths.names.of(columns.name[index]!),
      ...times.map((value) => plainLength(BigInt(Math.round(value)), clock)),
      ...sides.map((side) => String(columnOf(columns, 'count', side)[index])),
    ];
  };
  return <TakeTable name="differences tree" head={head} rows={() => atOnce(rows.peek(), texts)} />;
}
