import type { PanelView } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { Results } from '../../timeline/widgets/hits.tsx';

/** The Hits panel of a trace. */
export function hitsView(open: OpenTrace): PanelView {
  return { component: () => <Results open={open} /> };
}
