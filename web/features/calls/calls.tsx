import { type Signal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Page, PanelView } from '../../page/page.ts';
import { Lazy } from '../../parts/lazy.tsx';
import { Segments } from '../../parts/segments.tsx';
import type { ThemeControl } from '../../parts/theme.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { FunctionActions, ShownMenu } from './bar.tsx';
import { type Calls, createCalls } from './calls.ts';
import { FlameGraph } from './flame/flame.tsx';
import { createFunctionFilter, type FunctionFilter } from './function_filter.ts';
import type { Sort } from './functions.ts';
import { Functions } from './functions.tsx';
import { CallListView } from './list.tsx';
import { StackList } from './stacks.tsx';
import { CallTree } from './tree.tsx';
import { Uncertain } from './uncertain.tsx';
import { type CallView, chooseView, hasView, viewOf } from './views.ts';
import { wishedComparison } from './wished.ts';
import './calls.css';

/** Of the table of functions. It outlives a trace, the filter does not. */
const sort = signal<Sort>({ by: 'total', descending: true });

/** Sorts the table of functions. */
export function sortFunctions(by: Sort): void {
  sort.value = by;
}

/** The Functions panel of a trace. */
export function callsView(open: OpenTrace, page: Page): PanelView {
  const { dock } = page;
  const calls = createCalls(open, viewOf(open, dock), wishedComparison(open));
  const choose = (view: CallView) => chooseView(open, dock, view);
  const filter = createFunctionFilter(open.trace, open.statistics);
  return {
    component: ({ theme }) => (
      <div class="panel-body">
        <Uncertain open={open} chooseFile={page.chooseFile} />
        <CallsPanel open={open} theme={theme} calls={calls} choose={choose} sort={sort} filter={filter} />
      </div>
    ),
    dispose: () => {
      calls.dispose();
      filter.dispose();
    },
  };
}

const loadGraph = async () => (await import('./graph/graph.tsx')).CallGraphView;

interface Props {
  readonly open: OpenTrace;
  readonly theme: ThemeControl;
  readonly calls: Calls;
  readonly choose: (view: CallView) => void;
  readonly sort: Signal<Sort>;
  readonly filter: FunctionFilter;
}

function CallsPanel({ open, theme, calls, choose, sort, filter }: Props) {
  useEffect(() => {
    calls.mounted.value = true;
    return () => {
      calls.mounted.value = false;
    };
  }, [calls]);
  const listed = calls.listed.value;
  if (listed) return <CallListView key={listed.name} open={open} calls={calls} list={listed} />;
  const info = open.trace.info.value;
  const views: readonly (readonly [CallView, ComponentChildren])[] = [
    // Calls have functions. Lifetimes have names.
    ['functions', info?.sliceNoun === 'call' ? 'Functions' : 'Names'],
    ['tree', 'Tree'],
    ['flame', 'Flame'],
    ['stacks', 'Stacks'],
    ['graph', 'Graph'],
  ];
  const offered = views.filter(([view]) => info && hasView(info, view));
  const lead = <Segments label="View" options={offered} value={calls.view.value} choose={choose} />;
  const chosen = open.statistics.highlighted.value;
  const sandwich = (name: number) => {
    calls.sandwich(name);
    choose('flame');
  };
  switch (calls.view.value) {
    case 'functions':
      return (
        <Functions
          open={open}
          theme={theme}
          sort={sort}
          filter={filter}
          clock={calls.clock.value}
          lead={lead}
          units={<ShownMenu open={open} calls={calls} />}
          list={calls.list}
          actions={<FunctionActions open={open} calls={calls} name={chosen} sandwich={sandwich} changes={false} />}
        />
      );
    case 'tree':
      return <CallTree open={open} theme={theme} calls={calls} lead={lead} sandwich={sandwich} />;
    case 'stacks':
      return <StackList open={open} theme={theme} calls={calls} lead={lead} choose={choose} />;
    case 'flame':
      return <FlameGraph open={open} theme={theme} calls={calls} lead={lead} sandwich={sandwich} />;
    case 'graph':
      return <Lazy load={loadGraph} props={{ open, theme, lead, list: calls.list }} />;
  }
}
