import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import {
  formatCount,
  formatCounted,
  formatPercent,
  formatShare,
  plural,
  shortened,
  titled,
} from '../../base/format.ts';
import { plainLength, plainTitle } from '../../base/plain.ts';
import type { Clock } from '../../base/protocol.ts';
import type { LongList } from '../../parts/long_list.ts';
import { rowByKey } from '../../parts/proportional.ts';
import { Segments } from '../../parts/segments.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import type { ThemeControl } from '../../parts/theme.ts';
import { noneOf } from '../../timeline/none.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { LEVELS, PALETTES } from '../../timeline/render/palette.ts';
import { selectCall } from '../../trace/find_call.ts';
import { ShownMenu } from './bar.tsx';
import type { Calls } from './calls.ts';
import { STACK_ORDERS, type Stack, type StackOrder, type Stacks, stackLines } from './stacks.ts';
import { Uncounted } from './uncounted.tsx';
import { lengthText, unitOf } from './units.ts';
import type { CallView } from './views.ts';
import './stacks.css';

/** Stacks that are shown at first, and with each click for more. Each has many lines. */
const PORTION = 50;
/** Most lines of a stack. The current one shows all, up to a limit. */
const LINES = 7;
const OPEN_LINES = 200;
/** Stacks that a page key moves by. */
const PAGE = 5;

const TITLES: Readonly<Record<StackOrder, string>> = { self: 'Self', total: 'Total', count: 'Count' };
const SAYS: Readonly<Record<StackOrder, string>> = {
  self: 'Time in the innermost function itself',
  total: 'Time in the innermost function and its callees',
  count: 'Calls of the innermost function from this stack',
};

interface Props {
  readonly open: OpenTrace;
  readonly theme: ThemeControl;
  readonly calls: Calls;
  readonly lead: ComponentChildren;
  readonly choose: (view: CallView) => void;
}

/** The heaviest call stacks of the range. */
export function StackList({ open, theme, calls, lead, choose }: Props) {
  const { trace, statistics } = open;
  const told = statistics.tree.value;
  const stacks = calls.stacks.value;
  const info = trace.info.value;
  if (!info) return null;
  const current = stacks?.stacks.find(({ key }) => key === calls.stack.value);
  return (
    <div class="panel-body stacks">
      <div class="panel-bar">
        {lead}
        <Segments
          label="Heaviest by"
          options={STACK_ORDERS.map((order) => [order, TITLES[order]] as const)}
          value={calls.stackOrder.value}
          choose={(order) => {
            calls.stackOrder.value = order;
          }}
        />
        <ShownMenu open={open} calls={calls} />
        <Actions open={open} calls={calls} stack={current} choose={choose} />
        {stacks && told && (
          <span class="muted panel-end">
            {amount(
              stacks,
              info.clock,
              told.exact ? '' : `, estimate from ${formatPercent(told.visited, told.slices)}`,
            )}
            {unitOf(calls.clock.value ?? info.clock)}
          </span>
        )}
        {stacks && <Take open={open} stacks={stacks} clock={calls.clock.value ?? info.clock} />}
      </div>
      {stacks ? (
        <Rows open={open} theme={theme} calls={calls} stacks={stacks} clock={calls.clock.value ?? info.clock} />
      ) : (
        <Uncounted open={open} />
      )}
    </div>
  );
}

function amount({ stacks, cut, order, self, whole }: Stacks, clock: Clock, estimate: string): string {
  const all = stacks.length + cut;
  if (cut === 0) return `${formatCounted(all, 'stack')}${estimate}`;
  const covered = clock.kind === 'ordinal' ? plural(2, clock.unit) : 'time';
  const share = order === 'self' && whole > 0 ? `, ${formatShare(self, whole)} of the ${covered}` : '';
  return `${formatCount(stacks.length)} of ${formatCounted(all, 'stack')}${share}${estimate}`;
}

interface ActionsProps {
  readonly open: OpenTrace;
  readonly calls: Calls;
  readonly stack: Stack | undefined;
  readonly choose: (view: CallView) => void;
}

/** Where the current stack leads. The buttons keep their place while there is none. */
function Actions({ open, calls, stack, choose }: ActionsProps) {
  const ready = open.trace.status.value.at !== 'loading';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form.
    <span class="actions rigid" role="group" aria-label="Stack">
      <button
        type="button"
        class="plain link"
        disabled={!stack || !ready}
        title={ready ? 'Select the longest call of the stack (Enter)' : 'Available once the file is read'}
        onClick={() => stack && selectLongest(open, stack)}
      >
        Longest call
      </button>
      <button
        type="button"
        class="plain link"
        disabled={!stack}
        title="Show the stack in the call tree"
        onClick={() => {
          calls.showInTree(stack!.path);
          choose('tree');
        }}
      >
        Tree
      </button>
      <button
        type="button"
        class="plain link"
        disabled={!stack}
        title="Show the stack in the flame graph"
        onClick={() => {
          calls.showInFlame(stack!.path);
          choose('flame');
        }}
      >
        Flame
      </button>
    </span>
  );
}

function selectLongest(open: OpenTrace, { path }: Stack): void {
  selectCall({ name: path.at(-1)!, path, order: 'longest' }, open);
}

/** Copies the listed stacks, or saves them: a stack from the outermost function to the innermost one. */
function Take({ open: { trace }, stacks: { stacks }, clock }: { open: OpenTrace; stacks: Stacks; clock: Clock }) {
  const head = [plainTitle('Self', clock), plainTitle('Total', clock), 'Count', 'Stack'];
  const length = (ticks: number) => plainLength(BigInt(Math.round(ticks)), clock);
  const texts = ({ self, total, count, path }: Stack) => [
    length(self),
    length(total),
    String(Math.round(count)),
    path.map((name) => trace.names.of(name)).join(';'),
  ];
  return <TakeTable name="stacks" head={head} rows={() => atOnce(stacks, texts)} />;
}

interface RowsProps {
  readonly open: OpenTrace;
  readonly theme: ThemeControl;
  readonly calls: Calls;
  readonly stacks: Stacks;
  readonly clock: Clock;
}

function Rows({ open, theme, calls, stacks: { stacks, order, whole }, clock }: RowsProps) {
  const { statistics, trace } = open;
  const shown = useSignal(PORTION);
  const box = useRef<HTMLDivElement>(null);
  const current = stacks.findIndex(({ key }) => key === calls.stack.value);
  const columns = [order, ...STACK_ORDERS.filter((by) => by !== order)];
  const most = stacks[0]?.[order] ?? 0;
  const all = order === 'count' ? most : whole;
  const go = (row: number) => {
    const stack = stacks[row];
    if (!stack) return;
    if (row >= shown.value) shown.value = row + PORTION;
    calls.stack.value = stack.key;
    statistics.highlighted.value = stack.path.at(-1)!;
  };
  const longest = (row: number) => {
    if (stacks[row]) selectLongest(open, stacks[row]);
  };
  useEffect(() => {
    box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const about = (text: string) => (statistics.tree.value?.exact === false ? `≈${text}` : text);
  const figure = (stack: Stack, by: StackOrder) =>
    about(by === 'count' ? formatCount(Math.round(stack.count)) : lengthText(BigInt(Math.round(stack[by])), clock));
  const swatches = PALETTES[theme.theme.value].slices;
  // Stacks have different heights, so all up to a number exist.
  const list: LongList = {
    box,
    first: 0,
    end: Math.min(shown.value, stacks.length),
    above: 0,
    below: 0,
    top: 0,
    width: Number.POSITIVE_INFINITY,
    // The effect above brings the current one into view.
    go: () => undefined,
    goTop: () => box.current?.scrollTo({ top: 0 }),
    toward: (key, from) => rowByKey({ count: stacks.length, row: 1, height: PAGE + 1, top: 0 }, key, from),
    onScroll: () => undefined,
  };
  return (
    <Table
      label="Stacks"
      id="stack"
      count={stacks.length}
      row={(number) => stacks[number] ?? null}
      columns={[
        ...columns.map(
          (by): Column<Stack> => ({
            title: TITLES[by],
            says: SAYS[by],
            key: by,
            cell: (stack) => figure(stack, by),
          }),
        ),
        {
          title: order === 'count' ? 'Of the first' : 'Share',
          says: order === 'count' ? 'Compared with the first' : 'Share of covered time',
          class: 'share',
          cell: (stack) => about(formatShare(stack[order], all)),
        },
        {
          title: 'Stack, innermost first',
          class: 'words stack',
          cell: ({ path }, row) =>
            stackLines(path, row === current ? OPEN_LINES : LINES).map((line, number) =>
              'leftOut' in line ? (
                <span key="left out" class="frame muted">{`… ${formatCounted(line.leftOut, 'more call')}`}</span>
              ) : (
                <span
                  key={line.depth}
                  class={number === 0 ? 'frame inner' : 'frame'}
                  title={titled(trace.names.of(line.name))}
                >
                  {number === 0 && (
                    <span
                      class="swatch"
                      style={{ background: swatches[(trace.names.colour[line.name] ?? 0) * LEVELS + LEVELS - 1] }}
                    />
                  )}
                  {shortened(trace.names.shown(line.name))}
                </span>
              ),
            ),
        },
      ]}
      by={order}
      descending
      narrowedBy={[calls.changes.value, statistics.range.value, statistics.whose.value]}
      sortBy={(by) => {
        calls.stackOrder.value = by as StackOrder;
      }}
      current={current}
      choose={go}
      act={longest}
      double={longest}
      menu={({ path }) => {
        const name = path.at(-1)!;
        return { named: { id: name, text: trace.names.of(name), isCalled: true }, show: null };
      }}
      list={list}
      empty={noneOf(open, 'call')}
    >
      {stacks.length > shown.value && (
        <p class="panel-note">
          <button
            type="button"
            onClick={() => {
              shown.value += PORTION;
            }}
          >
            {`Show ${formatCount(Math.min(PORTION, stacks.length - shown.value))} more of ${formatCount(stacks.length)}`}
          </button>
        </p>
      )}
    </Table>
  );
}
