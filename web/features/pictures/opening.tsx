import type { Page } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { openingOf } from './drawn.ts';
import './opening.css';

/** The picture that a trace opens with. Until it can be made there is room for it: what makes it is loaded when the page is idle. */
export function OpeningPicture({ open, page }: { open: OpenTrace; page: Page }) {
  const View = openingOf(open).value;
  const isRead = open.trace.status.value.at === 'ready';
  return (
    <section class="opening" aria-label="Picture of the trace">
      {View ? (
        <View page={page} />
      ) : (
        <p class="muted">{isRead ? 'Making a picture…' : 'A picture is made once the trace has been read.'}</p>
      )}
    </section>
  );
}
