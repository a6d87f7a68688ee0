import { useLayoutEffect } from 'preact/hooks';
import { furtherRunsOf } from '../page/further_runs.ts';
import type { Page } from '../page/page.ts';
import { Lazy } from '../parts/lazy.tsx';
import { Announcer } from '../timeline/canvas/announcer.tsx';
import { Divider } from '../timeline/canvas/divider.tsx';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { addTraceCommands } from './commands/commands.ts';
import { Dock } from './dock/dock.tsx';
import { SelectionPane } from './pane.tsx';
import { TimelineView } from './timeline_view.tsx';

export { backends } from '../timeline/canvas/drawing.ts';

const loadWhichFailed = async () => (await import('./two/which_failed.tsx')).WhichFailed;
const loadSecond = async () => (await import('./two/second.tsx')).Second;

/** Timeline, dock and details of a trace. If it is compared with another one, their timelines are below each other. */
export function TraceView({ open, page }: { open: OpenTrace; page: Page }) {
  useLayoutEffect(() => addTraceCommands(page), [page]);
  const pair = open.pair.value;
  const first = pair?.a ?? open;
  const question = furtherRunsOf(open).question.value;
  return (
    <div class={pair ? 'work two' : 'work'}>
      <main class="work-main">
        <TimelineView key={first.id} open={first} page={page} history={page.history} />
        {pair && <Lazy key={`second ${pair.b.id}`} load={loadSecond} props={{ pair, page, View: TimelineView }} />}
        <Divider />
        <Dock open={open} page={page} />
      </main>
      <SelectionPane key={open.id} open={open} page={page} />
      {question && <Lazy load={loadWhichFailed} props={{ question }} failed={() => question.answer(null)} />}
      <Announcer key={`announcer ${open.id}`} open={open} />
    </div>
  );
}
