import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { watch } from '../base/watch.ts';
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

/** The parts of the page, of which a narrow window shows one at a time. */
const PARTS = ['Timeline', 'Panels', 'Details'] as const;

/** Timeline, dock and details of a trace. If it is compared with another one, their timelines are below each other. */
export function TraceView({ open, page }: { open: OpenTrace; page: Page }) {
  useLayoutEffect(() => addTraceCommands(page), [page]);
  const { dock } = page;
  const part = useSignal<(typeof PARTS)[number]>('Timeline');
  useLayoutEffect(() => {
    const show = (name: (typeof PARTS)[number]) => () => {
      part.value = name;
    };
    // What is brought to the front is seen.
    const stops = [watch([dock.front, dock.calls], show('Panels')), watch([dock.pane], show('Details'))];
    part.value = 'Timeline';
    return () => {
      for (const stop of stops) stop();
    };
  }, [dock]);
  const pair = open.pair.value;
  const first = pair?.a ?? open;
  const question = furtherRunsOf(open).question.value;
  return (
    <div class={pair ? 'work two' : 'work'} data-part={part.value}>
      <main class="work-main">
        <TimelineView key={first.id} open={first} page={page} history={page.history} />
        {pair && <Lazy key={`second ${pair.b.id}`} load={loadSecond} props={{ pair, page, View: TimelineView }} />}
        <Divider />
        <Dock open={open} page={page} />
      </main>
      <SelectionPane key={open.id} open={open} page={page} />
      <nav class="work-parts" aria-label="Parts of the page">
        {PARTS.map((name) => (
          <button
            type="button"
            class="plain tab"
            key={name}
            aria-pressed={part.value === name}
            onClick={() => {
              part.value = name;
              if (name === 'Panels') dock.open.value = true;
            }}
          >
            {name}
          </button>
        ))}
      </nav>
      {question && <Lazy load={loadWhichFailed} props={{ question }} failed={() => question.answer(null)} />}
      <Announcer key={`announcer ${open.id}`} open={open} />
    </div>
  );
}
