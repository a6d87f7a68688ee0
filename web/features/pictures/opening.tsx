import type { Page } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { openingOf } from './drawn.ts';
import './opening.css';

/** The picture that a trace opens with. Until it can be made there is room for it: what makes it is loaded when the page is idle. */
export function OpeningPicture({ open, page }: { open: OpenTrace; page: Page }) {
  const View = openingOf(open).value;
  const status = open.trace.status.value;
  return (
    <section class="opening" aria-label="Picture of the trace">
      {View ? (
        <View page={page} />
      ) : (
        <p class="muted">
          {status.at !== 'ready' && 'A picture is made once the trace has been read.'}
          {status.at === 'ready' &&
            (status.how === 'complete' ? (
              'Making a picture…'
            ) : (
              <button type="button" class="plain link" onClick={() => (page.dock.pane.value = 'picture')}>
                Show pictures of what has been read
              </button>
            ))}
        </p>
      )}
    </section>
  );
}
